import type { SqlConnection } from './driver.js';
import type { ObjectNumbers } from './objects.js';
import type { State } from './state.js';

/** What a row of history costs besides its event, roughly: its columns and its places in the indexes. */
export const ROW_BYTES = 256;

/** How long history is kept. */
export interface HistoryBounds {
  /** In milliseconds, as of now: less while the disk is full. */
  readonly historyMs: () => number;
  readonly historyMaxBytes: number;
}

/** The rows that ended, and when they go. Works inside a transaction that the caller has begun. */
export interface History {
  /** A row that held `bytes` of an event has become history. */
  grew(state: State, bytes: number): void;
  /** Forgets up to `limit` rows that are due, and says how many. */
  forget(state: State, limit: number): number;
  /** When the oldest row may be forgotten, microseconds; 0: now. `undefined`: there is none. */
  nextDue(state: State): number | undefined;
  /** What was done since the last commit did not happen. */
  rolledBack(): void;
}

/** The statements of history, for a look at their plans. */
export const HISTORY_STATEMENTS: Readonly<Record<'oldest' | 'forget', string>> = {
  oldest: `SELECT rev, ended, ended_at, object, coalesce(length(data), 0) AS size FROM versions INDEXED BY ended_rev
    WHERE ended IS NOT NULL ORDER BY ended LIMIT ?`,
  forget: 'DELETE FROM versions WHERE rev = ?',
};

/** Makes the history of a connection. What is thrown is a driver's error. */
export function createHistory(
  connection: SqlConnection,
  { historyMs, historyMaxBytes }: HistoryBounds,
  objects: ObjectNumbers,
): History {
  const oldest = connection.prepare(HISTORY_STATEMENTS.oldest);
  const forget = connection.prepare(HISTORY_STATEMENTS.forget);
  /**
   * When the oldest row ended; 'none': there is none; `undefined`: look. Otherwise every batch would read up to three rows
   * for each of its operations only to find that they are not due yet.
   */
  let oldestAt: number | 'none' | undefined;

  const look = (): number | 'none' => {
    const [row] = oldest.all(1);
    return row === undefined ? 'none' : Number(row['ended_at']);
  };

  const isDue = (state: State, endedAt: number): boolean =>
    state.historyBytes > historyMaxBytes || endedAt + historyMs() * 1000 <= state.lastAt;

  return {
    grew(state, bytes) {
      state.historyBytes += bytes + ROW_BYTES;
      if (oldestAt === 'none') oldestAt = state.lastAt;
    },
    forget(state, limit) {
      oldestAt ??= look();
      if (limit <= 0 || oldestAt === 'none' || !isDue(state, oldestAt)) return 0;
      oldestAt = undefined;
      let count = 0;
      const released = new Set<number>();
      for (const row of oldest.all(limit)) {
        const endedAt = Number(row['ended_at']);
        if (!isDue(state, endedAt)) {
          oldestAt = endedAt;
          break;
        }
        // Readers of the revision that ended a row, or of a later one, do not see it any more.
        state.floor = Math.max(state.floor, Number(row['ended']));
        state.historyBytes -= Number(row['size']) + ROW_BYTES;
        forget.run(Number(row['rev']));
        if (row['object'] !== null) released.add(Number(row['object']));
        count++;
      }
      objects.release(released);
      return count;
    },
    nextDue(state) {
      oldestAt ??= look();
      if (oldestAt === 'none') return undefined;
      return isDue(state, oldestAt) ? 0 : oldestAt + historyMs() * 1000;
    },
    rolledBack() {
      oldestAt = undefined;
    },
  };
}
