import type { Revision } from '../contract/event-store.js';
import { prepareAll, type SqlConnection, type SqlRow } from './driver.js';
import type { ObjectNumbers } from './objects.js';
import type { State } from './state.js';
import type { KeyBytes } from './stored.js';

/** What a row of history costs besides its event, roughly: its columns and its entries in other tables. */
const ROW_BYTES = 256;

export interface HistoryBounds {
  /** In milliseconds, as of now: less while the disk is full. */
  readonly historyMs: () => number;
  readonly historyMaxBytes: number;
}

/** How a version ended, as stored in the file. */
export const ENDED = { replaced: 0, replacedByOtherObject: 1, deleted: 2 } as const;

export interface EndedVersion {
  readonly kind: (typeof ENDED)[keyof typeof ENDED];
  readonly by: Revision;
  readonly revision: Revision;
  readonly object: number | null;
  readonly size: number;
  readonly key: KeyBytes;
}

/** The statements of history; a test checks their plans. */
export const HISTORY_STATEMENTS = {
  add: 'INSERT INTO ended_versions (rev, at, previous, kind, object, size, key) VALUES (?, ?, ?, ?, ?, ?, ?)',
  first: 'SELECT at FROM ended_versions WHERE rev > 0 ORDER BY rev LIMIT 1',
  oldest: `SELECT e.rev AS "by", e.at AS endedAt, e.previous AS revision, e.kind AS kind, e.object AS object,
      e.size AS size, v.expires_at AS expiresAt
    FROM ended_versions e LEFT JOIN versions v ON v.rev = e.previous WHERE e.rev > 0 ORDER BY e.rev LIMIT ?`,
  ended: 'DELETE FROM ended_versions WHERE rev = ?',
  version: 'DELETE FROM versions WHERE rev = ?',
  expiry: 'DELETE FROM expiries WHERE expires_at = ? AND rev = ?',
};

interface OldestRow extends SqlRow, Omit<EndedVersion, 'key'> {
  readonly endedAt: number;
  readonly expiresAt: number | null;
}

const historyBytesOf = ({ kind, size }: Pick<EndedVersion, 'kind' | 'size'>): number =>
  size + (kind === ENDED.deleted ? 2 : 1) * ROW_BYTES;

export type History = ReturnType<typeof createHistory>;

/** The versions that ended, and when they are pruned. Works inside a transaction that the caller has begun. */
export function createHistory(connection: SqlConnection, bounds: HistoryBounds, objects: ObjectNumbers) {
  const { historyMs, historyMaxBytes } = bounds;
  const statements = prepareAll(connection, HISTORY_STATEMENTS);
  /** When the oldest version ended; Infinity: none has; `undefined`: not known. Saves batches reads in vain. */
  let oldestAt: number | undefined;

  const oldest = (): number => (oldestAt ??= (statements.first.get()?.['at'] as number | undefined) ?? Infinity);

  const isDue = (state: State, endedAt: number): boolean =>
    endedAt !== Infinity && (state.historyBytes > historyMaxBytes || endedAt + historyMs() * 1000 <= state.lastAt);

  return {
    add(state: State, version: EndedVersion): void {
      const { kind, by, revision, object, size, key } = version;
      statements.add.run(by, state.lastAt, revision, kind, object, size, key);
      state.historyBytes += historyBytesOf(version);
      if (oldestAt === Infinity) oldestAt = state.lastAt;
    },
    /** Prunes up to `limit` versions that are due, with the deletions that ended them, and returns how many. */
    prune(state: State, limit: number): number {
      if (limit <= 0 || !isDue(state, oldest())) return 0;
      oldestAt = undefined;
      let count = 0;
      const released = new Set<number>();
      for (const row of statements.oldest.all(limit) as readonly OldestRow[]) {
        const { by, endedAt, revision, kind, object, expiresAt } = row;
        if (!isDue(state, endedAt)) {
          oldestAt = endedAt;
          break;
        }
        // Readers of the revision that ended a version, or of a later one, do not see it any more.
        state.floor = Math.max(state.floor, by);
        state.historyBytes -= historyBytesOf(row);
        statements.ended.run(by);
        statements.version.run(revision);
        // The expiry of a deleted event was removed with it.
        if (kind === ENDED.deleted) statements.version.run(by);
        else if (expiresAt !== null) statements.expiry.run(expiresAt, revision);
        if (kind !== ENDED.replaced && object !== null) released.add(object);
        count++;
      }
      objects.release(released);
      return count;
    },
    /** When the oldest may be pruned, microseconds; 0: now. `undefined`: there is none. */
    nextDue(state: State): number | undefined {
      if (oldest() === Infinity) return undefined;
      return isDue(state, oldest()) ? 0 : oldest() + historyMs() * 1000;
    },
    rolledBack(): void {
      oldestAt = undefined;
    },
  };
}
