import type { Revision } from '../contract/event-store.js';
import { prepareAll, type SqlConnection } from './driver.js';
import type { ObjectNumbers } from './objects.js';
import type { State } from './state.js';
import type { KeyBytes } from './stored.js';

/** What a row of history costs besides its event, roughly: its columns and its places in other tables. */
export const ROW_BYTES = 256;

/** How long history is kept. */
export interface HistoryBounds {
  /** In milliseconds, as of now: less while the disk is full. */
  readonly historyMs: () => number;
  readonly historyMaxBytes: number;
}

/** How a version ended, as it is in the file. */
export const ENDED = { replaced: 0, replacedByOtherObject: 1, deleted: 2 } as const;

/** A version that has ended. */
export interface EndedVersion {
  readonly kind: (typeof ENDED)[keyof typeof ENDED];
  /** The revision that ended it. */
  readonly by: Revision;
  readonly revision: Revision;
  readonly object: number | null;
  /** The bytes of its event. */
  readonly size: number;
  readonly key: KeyBytes;
}

/** The versions that ended, and when they go. Works inside a transaction that the caller has begun. */
export interface History {
  /** A version has become history. */
  add(state: State, version: EndedVersion): void;
  /** Forgets up to `limit` versions that are due, with the deletions that ended them, and says how many. */
  forget(state: State, limit: number): number;
  /** When the oldest may be forgotten, microseconds; 0: now. `undefined`: there is none. */
  nextDue(state: State): number | undefined;
  /** What was done since the last commit did not happen. */
  rolledBack(): void;
}

type StatementName = 'add' | 'first' | 'oldest' | 'forget' | 'version' | 'expiry';

/** The statements of history, for a look at their plans. */
export const HISTORY_STATEMENTS: Readonly<Record<StatementName, string>> = {
  add: 'INSERT INTO ended_versions (rev, at, previous, kind, object, size, key) VALUES (?, ?, ?, ?, ?, ?, ?)',
  first: 'SELECT at FROM ended_versions WHERE rev > 0 ORDER BY rev LIMIT 1',
  oldest: `SELECT e.rev AS rev, e.at AS at, e.previous AS previous, e.kind AS kind, e.object AS object, e.size AS size,
      v.expires_at AS expires_at
    FROM ended_versions e LEFT JOIN versions v ON v.rev = e.previous WHERE e.rev > 0 ORDER BY e.rev LIMIT ?`,
  forget: 'DELETE FROM ended_versions WHERE rev = ?',
  version: 'DELETE FROM versions WHERE rev = ?',
  expiry: 'DELETE FROM expiries WHERE expires_at = ? AND rev = ?',
};

/** What is counted for a version, and for the row of its deletion. */
const bytesOf = (kind: number, size: number): number => size + (kind === ENDED.deleted ? 2 : 1) * ROW_BYTES;

/** Makes the history of a connection. What is thrown is a driver's error. */
export function createHistory(
  connection: SqlConnection,
  { historyMs, historyMaxBytes }: HistoryBounds,
  objects: ObjectNumbers,
): History {
  const statements = prepareAll(connection, HISTORY_STATEMENTS);
  /**
   * When the oldest version ended; 'none': there is none; `undefined`: look. Otherwise every batch would read up to three rows
   * for each of its operations only to find that they are not due yet.
   */
  let oldestAt: number | 'none' | undefined;

  const look = (): number | 'none' => {
    const row = statements.first.get();
    return row === undefined ? 'none' : Number(row['at']);
  };

  const isDue = (state: State, endedAt: number): boolean =>
    state.historyBytes > historyMaxBytes || endedAt + historyMs() * 1000 <= state.lastAt;

  return {
    add(state, { kind, by, revision, object, size, key }) {
      statements.add.run(by, state.lastAt, revision, kind, object, size, key);
      state.historyBytes += bytesOf(kind, size);
      if (oldestAt === 'none') oldestAt = state.lastAt;
    },
    forget(state, limit) {
      oldestAt ??= look();
      if (limit <= 0 || oldestAt === 'none' || !isDue(state, oldestAt)) return 0;
      oldestAt = undefined;
      let count = 0;
      const released = new Set<number>();
      for (const row of statements.oldest.all(limit)) {
        const endedAt = Number(row['at']);
        if (!isDue(state, endedAt)) {
          oldestAt = endedAt;
          break;
        }
        const ended = Number(row['rev']);
        const previous = Number(row['previous']);
        const kind = Number(row['kind']);
        // Readers of the revision that ended a version, or of a later one, do not see it any more.
        state.floor = Math.max(state.floor, ended);
        state.historyBytes -= bytesOf(kind, Number(row['size']));
        statements.forget.run(ended);
        statements.version.run(previous);
        // That of a deleted event went with it.
        if (kind === ENDED.deleted) statements.version.run(ended);
        else if (row['expires_at'] !== null) statements.expiry.run(Number(row['expires_at']), previous);
        if (kind !== ENDED.replaced && row['object'] !== null) released.add(Number(row['object']));
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
