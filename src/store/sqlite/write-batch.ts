import type { Revision } from '../contract/event-store.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import { bytesOf, type SqlConnection, type SqlStatement } from './driver.js';
import { createHistory, type HistoryBounds } from './history.js';
import { createObjectNumbers } from './objects.js';
import { nextRevision, type State } from './state.js';
import { namespaceOf, recordOf, RECORD_COLUMNS, type KeyBytes, type StoredRecord } from './stored.js';

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

/** Does operations inside a transaction that the caller has begun. What is thrown is a driver's error. */
export interface BatchWriter {
  /** Does one operation. A condition that does not hold is the result, and changes nothing. */
  apply(state: State, operation: WriteOperation): WriteResult | StoreError;
  /** Forgets up to `limit` rows of history that are due. */
  forget(state: State, limit: number): number;
  /** See `History`. */
  nextDue(state: State): number | undefined;
  /** What was done since the last commit did not happen. */
  rolledBack(): void;
}

type StatementName = 'insert' | 'end' | 'size' | 'current' | 'due';

/** The statements of a batch, for a look at their plans. */
export const WRITE_STATEMENTS: Readonly<Record<StatementName, string>> = {
  insert: `INSERT INTO versions (rev, previous, ended, ended_at, expires_at, object, key, namespace, description, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  end: 'UPDATE versions SET ended = ?, ended_at = ? WHERE rev = ?',
  size: 'SELECT rev, length(data) AS size FROM versions INDEXED BY current_key WHERE key = ? AND ended IS NULL',
  current: `SELECT ${RECORD_COLUMNS} FROM versions INDEXED BY current_key WHERE key = ? AND ended IS NULL`,
  due: `SELECT rev, key, expires_at, length(data) AS size FROM versions INDEXED BY current_expiry
    WHERE ended IS NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
};

const decoder = new TextDecoder();

/** Makes the writer of a connection. */
export function createBatchWriter(connection: SqlConnection, bounds: HistoryBounds): BatchWriter {
  const statements = Object.fromEntries(
    Object.entries(WRITE_STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)]),
  ) as Record<StatementName, SqlStatement>;
  const objects = createObjectNumbers(connection);
  const history = createHistory(connection, bounds, objects);

  /** Makes a current row a part of history. */
  const supersede = (state: State, revision: Revision, by: Revision, size: number): void => {
    statements.end.run(by, state.lastAt, revision);
    history.grew(state, size);
  };

  const bury = (state: State, key: KeyBytes, revision: Revision, expiresAt: number, size: number): Revision => {
    const at = nextRevision(state);
    supersede(state, revision, at, size);
    statements.insert.run(at, revision, at, state.lastAt, expiresAt, null, key, namespaceOf(key), null, null);
    history.grew(state, 0);
    return at;
  };

  const put = (state: State, operation: PutOperation): WriteResult | StoreError => {
    const { key, expected } = operation;
    let previous: Revision | null = null;
    let size = 0;
    if (expected !== undefined) {
      const row = statements.size.get(key);
      if (row === undefined) return notFound(decoder.decode(key));
      previous = Number(row['rev']);
      size = Number(row['size']);
      if (previous !== expected) return conflict(decoder.decode(key), previous, expected);
    }
    const { latest } = state;
    const revision = nextRevision(state);
    if (previous !== null) supersede(state, previous, revision, size);
    const { expiresAt, description, data } = operation;
    const object = objects.numberOf(operation.regardingName, operation.regardingUid);
    const { insert } = statements;
    const namespace = namespaceOf(key);
    const inserted = insert.run(revision, previous, null, null, expiresAt, object, key, namespace, description, data);
    if (inserted === 1) return { kind: 'put', revision };
    state.latest = latest;
    if (object !== null) objects.release([object]);
    return exists(decoder.decode(key));
  };

  const remove = (state: State, { key, expected }: RemoveOperation): WriteResult | StoreError => {
    const row = statements.current.get(key);
    if (row === undefined) return notFound(decoder.decode(key));
    const record = recordOf(row);
    if (expected !== undefined && record.revision !== expected)
      return conflict(decoder.decode(key), record.revision, expected);
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
            return { kind: 'count', count: history.forget(state, operation.limit) };
        }
      } catch (error) {
        // Before a row was touched: no revision is left.
        if (isStoreError(error)) return error;
        throw error;
      }
    },
    forget: history.forget,
    nextDue: history.nextDue,
    rolledBack() {
      objects.rolledBack();
      history.rolledBack();
    },
  };
}
