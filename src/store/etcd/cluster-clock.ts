import { storeError } from '../contract/errors.js';
import { loadHttp, type OpenHttp } from './http-exchange.js';
import type { EtcdSettings } from './options.js';

/** How old an answer of the members may be where the moment is needed again. */
const FRESH_MS = 1000;
const HALF_SECOND = 500_000;

/** The clock that all replicas of a store share: that of the members of etcd. */
export interface ClusterClock {
  /** Microseconds since the epoch, to the second; asked of the members. Fails with `unavailable`. */
  now(): Promise<number>;
  /** The same, from an answer that is a second old at most. */
  recent(): Promise<number>;
}

/** A member's answer: the time it gave, that it speaks no HTTP on this port, or that it is away. */
type Answer = { readonly micros: number; readonly at: number } | 'no-http' | 'away';

/**
 * Reads the time off the `Date` header of the members' answers to `GET /version`, which needs no permission. Of three
 * members the one in the middle counts, so that one whose clock is wrong decides nothing. Where they answer gRPC only on
 * this port (`--listen-client-http-urls`), there is no clock to share, and the one of this process is taken.
 */
export function createClusterClock(settings: EtcdSettings): ClusterClock {
  const { clock, timeEndpoints, requestTimeoutMs } = settings;
  let loading: Promise<OpenHttp> | undefined;
  let last: { readonly micros: number; readonly at: number } | undefined;

  const askOne = async (endpoint: string): Promise<Answer> => {
    const member = (await (loading ??= loadHttp()))(endpoint, settings, 1);
    return new Promise((resolve) => {
      const done = (answer: Answer): void => {
        timer.cancel();
        resolve(answer);
        member.close();
      };
      const timer = clock.setTimer(() => done('away'), requestTimeoutMs);
      member.send('/version', {}, undefined, {
        started(_status, { date }) {
          const millis = Date.parse(String(date));
          // The header is cut to the second.
          done(Number.isNaN(millis) ? 'no-http' : { micros: millis * 1000 + HALF_SECOND, at: clock.monotonic() });
        },
        data: () => undefined,
        ended: () => undefined,
        failed: (_error, sent) => done(sent ? 'no-http' : 'away'),
      });
    });
  };

  const now = async (): Promise<number> => {
    if (timeEndpoints.length === 0) return clock.now();
    const answers = await Promise.all(timeEndpoints.map(askOne));
    const at = clock.monotonic();
    const times = answers.flatMap((answer) =>
      typeof answer === 'string' ? [] : Math.floor(answer.micros + (at - answer.at) * 1000),
    );
    // Of an even number the earlier: nothing expires too soon.
    const micros = times.sort((one, other) => one - other)[(times.length - 1) >> 1];
    if (micros !== undefined) {
      last = { micros, at };
      return micros;
    }
    if (answers.includes('no-http')) return clock.now();
    throw storeError('unavailable', `no member of etcd (${timeEndpoints.join(', ')}) tells the time`);
  };

  return {
    now,
    async recent() {
      const age = last === undefined ? Infinity : clock.monotonic() - last.at;
      return last !== undefined && age < FRESH_MS ? last.micros + age * 1000 : now();
    },
  };
}
