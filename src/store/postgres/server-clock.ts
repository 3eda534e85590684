import type { StoreParts } from './requests.js';
import { numberOf } from './rows.js';

export type ServerClock = ReturnType<typeof createServerClock>;

/** SQLSTATE of a write that reached the server after its deadline. */
export const TOO_LATE = 'KV001';

const STATEMENT = {
  name: 'server_time',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now',
};

/**
 * An estimate of the server's clock. A write without a response is repeated, and the first one may still be unread in a
 * frozen server: each carries its deadline in the server's time, after which it is refused, and can undo nothing. When
 * the server's clock is set, one batch is refused, then it is measured again.
 */
export function createServerClock({ requests, timers }: Pick<StoreParts, 'requests' | 'timers'>) {
  let ahead = 0;
  return {
    /** Reads the server's time, in microseconds. */
    async now(signal?: AbortSignal): Promise<number> {
      const [row] = await requests.read(STATEMENT, [], signal);
      const time = numberOf(row?.['now']);
      ahead = time - timers.monotonic() * 1000;
      return time;
    },
    /** The server's time `ms` milliseconds from now, in microseconds. */
    after: (ms: number): number => Math.floor((timers.monotonic() + ms) * 1000 + ahead),
  };
}
