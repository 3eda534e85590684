import type { StoreParts } from './requests.js';
import { numberOf } from './rows.js';

/** The server's wall clock, as far as this store knows it. */
export interface ServerClock {
  /** Asks the server what time it is. */
  measure(): Promise<void>;
  /** What time it is, in microseconds, asked of the server. */
  now(signal?: AbortSignal): Promise<number>;
  /** The server's time in so many milliseconds from now, in microseconds. */
  after(ms: number): number;
}

/** SQLSTATE of a write that reached the server after its deadline. */
export const TOO_LATE = 'KV001';

const STATEMENT = {
  name: 'server_time',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now',
};

/**
 * A write that has no answer in time is repeated, and the first one may still lie unread in a connection to a frozen
 * server. So each write carries its deadline in the server's own time, and one that is read later is refused: it can never
 * undo what was done after its repetition. A clock that was set costs one refused batch, then it is measured again.
 */
export function createServerClock({ requests, timers }: Pick<StoreParts, 'requests' | 'timers'>): ServerClock {
  let ahead = 0;
  const now = async (signal?: AbortSignal): Promise<number> => {
    const [row] = await requests.read(STATEMENT, [], signal);
    const time = numberOf(row?.['now']);
    ahead = time - timers.monotonic() * 1000;
    return time;
  };
  return {
    now,
    measure: async () => void (await now()),
    after: (ms) => Math.floor((timers.monotonic() + ms) * 1000 + ahead),
  };
}
