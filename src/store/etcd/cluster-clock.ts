import { storeError } from '../contract/errors.js';
import { loadHttp, type OpenHttp } from './http-exchange.js';
import type { EtcdSettings } from './options.js';

const FRESH_MS = 1000;
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
  let loading: Promise<OpenHttp> | undefined;
  let last: Time | undefined;

  const timeOf = async (endpoint: string): Promise<MemberTime> => {
    const member = (await (loading ??= loadHttp()))(endpoint, settings, 1);
    return new Promise((resolve) => {
      const done = (result: MemberTime): void => {
        timer.cancel();
        resolve(result);
        member.close();
      };
      const timer = clock.setTimer(() => done('away'), requestTimeoutMs);
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

  const now = async (): Promise<number> => {
    if (timeEndpoints.length === 0) return clock.now();
    const found = await Promise.all(timeEndpoints.map(timeOf));
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
