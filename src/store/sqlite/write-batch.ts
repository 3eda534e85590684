import type { Revision } from '../contract/event-store.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import { bytesOf, prepareAll, type SqlConnection } from './driver.js';
import { createHistory, ENDED, type HistoryBounds } from './history.js';
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

/**
 * What became of an operation: the revision of a put and, where it is wanted, the version that it replaced; the last state
 * of what was removed and its revision before that; the count of the others.
 */
export type WriteResult =
  | { readonly kind: 'put'; readonly revision: Revision; readonly previous: StoredRecord | undefined }
  | { readonly kind: 'remove'; readonly record: StoredRecord; readonly previous: Revision }
  | { readonly kind: 'count'; readonly count: number };

/** Does operations inside a transaction that the caller has begun. What is thrown is a driver's error. */
export interface BatchWriter {
  /**
   * Does one operation. A condition that does not hold is the result, and changes nothing. `withPrevious`: a replace returns
   * the version before it.
   */
  apply(state: State, operation: WriteOperation, withPrevious: boolean): WriteResult | StoreError;
  /** See `History`. */
  forget(state: State, limit: number): number;
  /** Whether something was done since the last commit that no counter shows. */
  hasCleaned(): boolean;
  /** See `History`. */
  nextDue(state: State): number | undefined;
  /** A transaction begins. */
  begin(): void;
  /** What was done since then did not happen. */
  rolledBack(): void;
}

type StatementName =
  'insert' | 'current' | 'create' | 'replace' | 'replaceObject' | 'remove' | 'version' | 'due' | 'expiry' | 'expired';

/** The statements of a batch, for a look at their plans. */
export const WRITE_STATEMENTS: Readonly<Record<StatementName, string>> = {
  insert: `INSERT INTO versions (rev, previous, expires_at, object, key, namespace, description, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  current: 'SELECT rev, object, size FROM current_events WHERE key = ?',
  create: 'INSERT INTO current_events (key, rev, object, size) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  // An index over a column that is set is written, whatever its value.
  replace: 'UPDATE current_events SET rev = ?, size = ? WHERE key = ?',
  replaceObject: 'UPDATE current_events SET rev = ?, size = ?, object = ? WHERE key = ?',
  remove: 'DELETE FROM current_events WHERE key = ?',
  version: `SELECT ${RECORD_COLUMNS} FROM versions WHERE rev = ?`,
  due: `SELECT e.expires_at AS expires_at, e.rev AS rev, v.key AS key FROM expiries e LEFT JOIN versions v ON v.rev = e.rev
    WHERE e.expires_at <= ? ORDER BY e.expires_at, e.rev LIMIT ?`,
  expiry: 'INSERT INTO expiries (expires_at, rev) VALUES (?, ?)',
  expired: 'DELETE FROM expiries WHERE expires_at = ? AND rev = ?',
};

/** For each event that one operation may expire, it looks at so many that were replaced in the meantime. */
const STALE_EXPIRIES = 8;

const decoder = new TextDecoder();

/** A current version, by its row in `current_events`. */
interface Current {
  readonly revision: Revision;
  readonly object: number | null;
  readonly size: number;
}

/** Makes the writer of a connection. */
export function createBatchWriter(connection: SqlConnection, bounds: HistoryBounds): BatchWriter {
  const statements = prepareAll(connection, WRITE_STATEMENTS);
  const objects = createObjectNumbers(connection);
  const history = createHistory(connection, bounds, objects);

  /** Expiries of versions that were replaced have been removed. */
  let cleaned = false;

  const currentOf = (key: KeyBytes): Current | undefined => {
    const row = statements.current.get(key);
    if (row === undefined) return undefined;
    const object = row['object'] === null ? null : Number(row['object']);
    return { revision: Number(row['rev']), object, size: Number(row['size']) };
  };

  const versionAt = (revision: Revision): StoredRecord => {
    const row = statements.version.get(revision);
    if (row === undefined) throw new Error(`the file is damaged: the event at revision ${revision} is missing`);
    return recordOf(row);
  };

  /** Inserts the version of a put, which is current already. */
  const insert = (revision: Revision, previous: Revision | null, object: number | null, put: PutOperation): void => {
    const { key, expiresAt, description, data } = put;
    statements.insert.run(revision, previous, expiresAt, object, key, namespaceOf(key), description, data);
    statements.expiry.run(expiresAt, revision);
  };

  const bury = (state: State, key: KeyBytes, current: Current, expiresAt: number): Revision => {
    const by = nextRevision(state);
    statements.remove.run(key);
    statements.expired.run(expiresAt, current.revision);
    history.add(state, { ...current, kind: ENDED.deleted, by, key });
    statements.insert.run(by, current.revision, expiresAt, null, key, namespaceOf(key), null, null);
    return by;
  };

  const create = (state: State, operation: PutOperation): WriteResult | StoreError => {
    const { latest } = state;
    const { key, data, regardingName, regardingUid } = operation;
    const revision = nextRevision(state);
    const object = objects.numberOf(regardingName, regardingUid);
    if (statements.create.run(key, revision, object, data.length) === 0) {
      state.latest = latest;
      if (object !== null) objects.release([object]);
      return exists(decoder.decode(key));
    }
    insert(revision, null, object, operation);
    return { kind: 'put', revision, previous: undefined };
  };

  const replace = (
    state: State,
    operation: PutOperation,
    expected: Revision,
    withPrevious: boolean,
  ): WriteResult | StoreError => {
    const { key, data } = operation;
    const current = currentOf(key);
    if (current === undefined) return notFound(decoder.decode(key));
    if (current.revision !== expected) return conflict(decoder.decode(key), current.revision, expected);
    const by = nextRevision(state);
    const object = objects.numberOf(operation.regardingName, operation.regardingUid);
    const kind = object === current.object ? ENDED.replaced : ENDED.replacedByOtherObject;
    if (kind === ENDED.replaced) statements.replace.run(by, data.length, key);
    else statements.replaceObject.run(by, data.length, object, key);
    history.add(state, { ...current, kind, by, key });
    insert(by, current.revision, object, operation);
    return { kind: 'put', revision: by, previous: withPrevious ? versionAt(current.revision) : undefined };
  };

  const remove = (state: State, { key, expected }: RemoveOperation): WriteResult | StoreError => {
    const current = currentOf(key);
    if (current === undefined) return notFound(decoder.decode(key));
    if (expected !== undefined && current.revision !== expected)
      return conflict(decoder.decode(key), current.revision, expected);
    const record = versionAt(current.revision);
    const revision = bury(state, key, current, record.expiresAt);
    return { kind: 'remove', record: { ...record, revision }, previous: current.revision };
  };

  const expire = (state: State, { dueAt, limit }: ExpireOperation): number => {
    let count = 0;
    for (let round = 0; count < limit && round < STALE_EXPIRIES; round++) {
      const asked = limit - count;
      const rows = statements.due.all(dueAt, asked);
      for (const row of rows) {
        const expiresAt = Number(row['expires_at']);
        const revision = Number(row['rev']);
        const key = row['key'] === null ? undefined : bytesOf(row['key']);
        const current = key && currentOf(key);
        if (key === undefined || current?.revision !== revision) {
          statements.expired.run(expiresAt, revision);
          cleaned = true;
          continue;
        }
        bury(state, key, current, expiresAt);
        count++;
      }
      if (rows.length < asked) break;
    }
    return count;
  };

  return {
    apply(state, operation, withPrevious) {
      try {
        switch (operation.kind) {
          case 'put':
            return operation.expected === undefined
              ? create(state, operation)
              : replace(state, operation, operation.expected, withPrevious);
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
    hasCleaned: () => cleaned,
    nextDue: history.nextDue,
    begin() {
      cleaned = false;
    },
    rolledBack() {
      objects.rolledBack();
      history.rolledBack();
    },
  };
}
