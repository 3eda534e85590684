import type { ClockTimer } from '../../clock/clock.js';
import { storeError } from '../contract/errors.js';
import { loadHttp } from './http-exchange.js';
import type { EtcdSettings } from './options.js';

const FRESH_MS = 1000;
/** How long the others are waited for when half of the members have returned their time, in milliseconds. */
const REST_MS = 100;
const HALF_SECOND = 500_000;

/** The time of the members, at a moment of the monotonic clock. */
interface Time {
  readonly micros: number;
  readonly at: number;
}

/** The result for a member: its time, that it does not serve HTTP on this port, or that it is unavailable. */
type MemberTime = Time | 'no-http' | 'away';

/** A member that speaks only gRPC responds in HTTP/2, or refuses the TLS handshake. A cut connection proves nothing. */
const speaksNoHttp = ({ name, code }: Error & { readonly code?: unknown }): boolean =>
  name === 'HTTPParserError' || code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

/**
 * The clock that all replicas share: the `Date` header of the members' responses to `GET /version`, which needs no
 * permission. The median counts, so that a wrong clock has no effect. The clock of this process is used where they
 * speak only gRPC on this port (`--listen-client-http-urls`).
 */
export function createClusterClock(settings: EtcdSettings) {
  const { clock, timeEndpoints, requestTimeoutMs } = settings;
  let last: Time | undefined;
  /** How often a member did not respond: its name may have another address that does. */
  const silences = new Map<string, number>();

  const timeOf = async (endpoint: string): Promise<MemberTime> => {
    const silent = silences.get(endpoint) ?? 0;
    const member = (await loadHttp())(endpoint, settings, 1, silent);
    return new Promise((resolve) => {
      const done = (result: MemberTime): void => {
        timer.cancel();
        resolve(result);
        member.close();
      };
      const timer = clock.setTimer(() => {
        silences.set(endpoint, silent + 1);
        done('away');
      }, requestTimeoutMs);
      member.send('/version', {}, undefined, {
        started(status, { date }) {
          const millis = Date.parse(String(date));
          // The header has whole seconds. Without it, an error is a proxy's.
          if (!Number.isNaN(millis)) done({ micros: millis * 1000 + HALF_SECOND, at: clock.monotonic() });
          else done(status < 500 ? 'no-http' : 'away');
        },
        data: () => undefined,
        ended: () => undefined,
        failed: (error) => done(speaksNoHttp(error) ? 'no-http' : 'away'),
      });
    });
  };

  /** One member that does not respond must not delay every reader until its timeout. */
  const timesOf = (endpoints: readonly string[]): Promise<readonly MemberTime[]> =>
    new Promise((resolve, reject) => {
      const found: MemberTime[] = [];
      const done = (): void => {
        rest?.cancel();
        resolve([...found]);
      };
      let known = 0;
      let rest: ClockTimer | undefined;
      const add = (result: MemberTime): void => {
        found.push(result);
        if (typeof result !== 'string') known += 1;
        if (found.length === endpoints.length) done();
        else if (known * 2 >= endpoints.length) rest ??= clock.setTimer(done, REST_MS);
      };
      for (const endpoint of endpoints) timeOf(endpoint).then(add, reject);
    });

  const now = async (): Promise<number> => {
    if (timeEndpoints.length === 0) return clock.now();
    const found = await timesOf(timeEndpoints);
    const at = clock.monotonic();
    const times = found.flatMap((result) =>
      typeof result === 'string' ? [] : Math.floor(result.micros + (at - result.at) * 1000),
    );
    // Of two in the middle the earlier one, so that nothing expires too soon.
    const micros = times.sort((one, other) => one - other)[(times.length - 1) >> 1];
    if (micros !== undefined) {
      last = { micros, at };
      return micros;
    }
    if (found.includes('no-http')) return clock.now();
    throw storeError('unavailable', `no member of etcd returned its time (timeEndpoints: ${timeEndpoints.join(', ')})`);
  };

  return {
    /** Microseconds since the epoch, to the second; read from the members. Fails with `unavailable`. */
    now: (): Promise<number> => now(),
    /** The same, from a response that is at most a second old. */
    async recent(): Promise<number> {
      const age = last === undefined ? Infinity : clock.monotonic() - last.at;
      return last !== undefined && age < FRESH_MS ? last.micros + age * 1000 : now();
    },
  };
}
