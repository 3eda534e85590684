import type { Revision } from '../contract.js';
import { isStoreError, storeError, type StoreError } from '../errors.js';
import { bytesOf, type SqlConnection, type SqlStatement } from './driver.js';
import { nextRevision, type State } from './state.js';
import { namespaceOf, recordOf, RECORD_COLUMNS, type KeyBytes, type StoredRecord } from './stored.js';

/** What a row of history costs besides its event, roughly: its columns and its places in the indexes. */
const ROW_BYTES = 256;

/** Creates an event, or replaces the one at `expected`. */
export interface PutOperation {
  readonly kind: 'put';
  readonly key: KeyBytes;
  readonly expected: Revision | undefined;
  readonly expiresAt: number;
  readonly regardingName: Uint8Array | undefined;
  readonly regardingUid: Uint8Array | undefined;
  readonly description: Uint8Array;
  readonly data: Uint8Array;
}

/** Removes an event. */
export interface RemoveOperation {
  readonly kind: 'remove';
  readonly key: KeyBytes;
  readonly expected: Revision | undefined;
}

/** Removes what is due. */
export interface ExpireOperation {
  readonly kind: 'expire';
  readonly dueAt: number;
  readonly limit: number;
}

/** Forgets old history, at most this many rows. */
export interface ForgetOperation {
  readonly kind: 'forget';
  readonly limit: number;
}

/** One operation of a batch. */
export type WriteOperation = PutOperation | RemoveOperation | ExpireOperation | ForgetOperation;

/** What became of an operation: the revision of a put, the last state of what was removed, the count of the others. */
export type WriteResult =
  | { readonly kind: 'put'; readonly revision: Revision }
  | { readonly kind: 'remove'; readonly record: StoredRecord }
  | { readonly kind: 'count'; readonly count: number };

/** How long history is kept. */
export interface HistoryBounds {
  readonly historyMs: number;
  readonly historyMaxBytes: number;
}

/** Does operations inside a transaction that the caller has begun. What is thrown is a driver's error. */
export interface BatchWriter {
  /** Does one operation. A condition that does not hold is the result, and changes nothing. */
  apply(state: State, operation: WriteOperation): WriteResult | StoreError;
  /** Forgets up to `limit` rows of history that are due. */
  forget(state: State, limit: number): number;
  /** When the oldest row of history may be forgotten, microseconds; 0: now. `undefined`: there is none. */
  nextDue(state: State): number | undefined;
}

type StatementName = 'insert' | 'end' | 'size' | 'current' | 'due' | 'oldest' | 'forget';

/** The statements of a batch, for a look at their plans. */
export const WRITE_STATEMENTS: Readonly<Record<StatementName, string>> = {
  insert: `INSERT INTO versions (rev, previous, ended, ended_at, expires_at, key, namespace, regarding_name, regarding_uid,
    description, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  end: 'UPDATE versions SET ended = ?, ended_at = ? WHERE rev = ?',
  size: 'SELECT rev, length(data) AS size FROM versions INDEXED BY current_key WHERE key = ? AND ended IS NULL',
  current: `SELECT ${RECORD_COLUMNS} FROM versions INDEXED BY current_key WHERE key = ? AND ended IS NULL`,
  due: `SELECT rev, key, expires_at, length(data) AS size FROM versions INDEXED BY current_expiry
    WHERE ended IS NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
  oldest: `SELECT rev, ended, ended_at, coalesce(length(data), 0) AS size FROM versions INDEXED BY ended_rev
    WHERE ended IS NOT NULL ORDER BY ended LIMIT ?`,
  forget: 'DELETE FROM versions WHERE rev = ?',
};

const decoder = new TextDecoder();

/** Makes the writer of a connection. */
export function createBatchWriter(
  connection: SqlConnection,
  { historyMs, historyMaxBytes }: HistoryBounds,
): BatchWriter {
  const statements = Object.fromEntries(
    Object.entries(WRITE_STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)]),
  ) as Record<StatementName, SqlStatement>;

  const conflict = (key: KeyBytes, revision: Revision, expected: Revision): StoreError =>
    storeError('conflict', `${decoder.decode(key)} is at ${revision}, not at ${expected}`);
  const missing = (key: KeyBytes): StoreError => storeError('not-found', `${decoder.decode(key)} does not exist`);

  /** Makes a current row a part of history. */
  const supersede = (state: State, revision: Revision, by: Revision, size: number): void => {
    statements.end.run(by, state.lastAt, revision);
    state.historyBytes += size + ROW_BYTES;
  };

  const bury = (state: State, key: KeyBytes, revision: Revision, expiresAt: number, size: number): Revision => {
    const at = nextRevision(state);
    supersede(state, revision, at, size);
    statements.insert.run(at, revision, at, state.lastAt, expiresAt, key, namespaceOf(key), null, null, null, null);
    state.historyBytes += ROW_BYTES;
    return at;
  };

  const put = (state: State, operation: PutOperation): WriteResult | StoreError => {
    const { key, expected } = operation;
    let previous: Revision | null = null;
    let size = 0;
    if (expected !== undefined) {
      const row = statements.size.get(key);
      if (row === undefined) return missing(key);
      previous = Number(row['rev']);
      size = Number(row['size']);
      if (previous !== expected) return conflict(key, previous, expected);
    }
    const { latest } = state;
    const revision = nextRevision(state);
    if (previous !== null) supersede(state, previous, revision, size);
    const { expiresAt, regardingName = null, regardingUid = null, description, data } = operation;
    const namespace = namespaceOf(key);
    const inserted = statements.insert.run(
      revision,
      previous,
      null,
      null,
      expiresAt,
      key,
      namespace,
      regardingName,
      regardingUid,
      description,
      data,
    );
    if (inserted === 1) return { kind: 'put', revision };
    state.latest = latest;
    return storeError('exists', `${decoder.decode(key)} exists already`);
  };

  const remove = (state: State, { key, expected }: RemoveOperation): WriteResult | StoreError => {
    const row = statements.current.get(key);
    if (row === undefined) return missing(key);
    const record = recordOf(row);
    if (expected !== undefined && record.revision !== expected) return conflict(key, record.revision, expected);
    const revision = bury(state, key, record.revision, record.expiresAt, record.data.length);
    return { kind: 'remove', record: { ...record, revision } };
  };

  const expire = (state: State, { dueAt, limit }: ExpireOperation): number => {
    const rows = statements.due.all(dueAt, limit);
    for (const row of rows) {
      bury(state, bytesOf(row['key']), Number(row['rev']), Number(row['expires_at']), Number(row['size']));
    }
    return rows.length;
  };

  const isDue = (state: State, endedAt: number): boolean =>
    state.historyBytes > historyMaxBytes || endedAt + historyMs * 1000 <= state.lastAt;

  const forget = (state: State, limit: number): number => {
    let count = 0;
    for (const row of limit > 0 ? statements.oldest.all(limit) : []) {
      if (!isDue(state, Number(row['ended_at']))) break;
      // Readers of the revision that ended a row, or of a later one, do not see it any more.
      state.floor = Math.max(state.floor, Number(row['ended']));
      state.historyBytes -= Number(row['size']) + ROW_BYTES;
      statements.forget.run(Number(row['rev']));
      count++;
    }
    return count;
  };

  return {
    apply(state, operation) {
      try {
        switch (operation.kind) {
          case 'put':
            return put(state, operation);
          case 'remove':
            return remove(state, operation);
          case 'expire':
            return { kind: 'count', count: expire(state, operation) };
          case 'forget':
            return { kind: 'count', count: forget(state, operation.limit) };
        }
      } catch (error) {
        // Before a row was touched: no revision is left.
        if (isStoreError(error)) return error;
        throw error;
      }
    },
    forget,
    nextDue(state) {
      const [row] = statements.oldest.all(1);
      if (row === undefined) return undefined;
      const endedAt = Number(row['ended_at']);
      return isDue(state, endedAt) ? 0 : endedAt + historyMs * 1000;
    },
  };
}
