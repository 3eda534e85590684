import type { Revision } from '../contract/event-store.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import { bytesOf, prepareAll, type SqlConnection, type SqlRow } from './driver.js';
import { createHistory, ENDED, type EndedVersion, type History, type HistoryBounds } from './history.js';
import { createObjectNumbers } from './objects.js';
import { nextRevision, type State } from './state.js';
import {
  encoded,
  namespaceOf,
  storedRecordOf,
  RECORD_COLUMNS,
  textOf,
  type KeyBytes,
  type StoredRecord,
} from './stored.js';

/** Creates an event, or replaces the one at `expected`. */
export interface PutOperation {
  readonly kind: 'put';
  /** `namespace/name`. */
  readonly key: string;
  readonly expected: Revision | undefined;
  readonly expiresAt: number;
  readonly regardingName: string | undefined;
  readonly regardingUid: string | undefined;
  readonly sidecar: string;
  readonly data: Uint8Array;
}

export type WriteOperation =
  | PutOperation
  | { readonly kind: 'remove'; readonly key: string; readonly expected: Revision | undefined }
  | { readonly kind: 'expire'; readonly dueAt: number; readonly limit: number }
  | { readonly kind: 'prune'; readonly limit: number };

/** A put returns the version before it only with `withPrevious`. */
export type WriteResult =
  | { readonly kind: 'written'; readonly revision: Revision; readonly previous: StoredRecord | undefined }
  | { readonly kind: 'count'; readonly count: number };

/** The statements of a batch; a test checks their plans. */
export const WRITE_STATEMENTS = {
  insert: `INSERT INTO versions (rev, previous, expires_at, object, key, namespace, description, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  current: 'SELECT rev AS revision, object, size FROM current_events WHERE key = ?',
  create: 'INSERT INTO current_events (key, rev, object, size) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  // An index over a column that is set is written, whatever its value.
  replace: 'UPDATE current_events SET rev = ?, size = ? WHERE key = ?',
  replaceObject: 'UPDATE current_events SET rev = ?, size = ?, object = ? WHERE key = ?',
  remove: 'DELETE FROM current_events WHERE key = ?',
  version: `SELECT ${RECORD_COLUMNS} FROM versions WHERE rev = ?`,
  due: `SELECT e.expires_at AS expiresAt, e.rev AS revision, v.key AS key FROM expiries e LEFT JOIN versions v ON v.rev = e.rev
    WHERE e.expires_at <= ? ORDER BY e.expires_at, e.rev LIMIT ?`,
  expiries: 'INSERT INTO expiries (expires_at, rev) SELECT expires_at, rev FROM versions WHERE rev > ?',
  expired: 'DELETE FROM expiries WHERE expires_at = ? AND rev = ?',
};

/** For each event that an operation may expire, it examines up to this many that were replaced in the meantime. */
const STALE_EXPIRIES = 8;

type Current = Pick<EndedVersion, 'revision' | 'object' | 'size'>;

type DueRow = SqlRow & { readonly expiresAt: number; readonly revision: Revision };

export type BatchWriter = ReturnType<typeof createBatchWriter>;

/** Performs operations inside a transaction that the caller has begun. Throws only a driver's errors. */
export function createBatchWriter(connection: SqlConnection, bounds: HistoryBounds) {
  const statements = prepareAll(connection, WRITE_STATEMENTS);
  const objects = createObjectNumbers(connection);
  const history = createHistory(connection, bounds, objects);

  /** Expiries of versions that were replaced have been removed. */
  let cleaned = false;
  /** Versions above this revision are not in `expiries` yet. One statement for those of a batch saves 4 µs each. */
  let withoutExpiry: Revision | undefined;

  const currentOf = (key: KeyBytes): Current | undefined => {
    const row = statements.current.get(key) as Current | undefined;
    // A driver's own objects are slow to copy.
    return row && { revision: row.revision, object: row.object, size: row.size };
  };

  const versionAt = (revision: Revision): StoredRecord => {
    const row = statements.version.get(revision);
    if (row === undefined) throw new Error(`the file is damaged: the event at revision ${revision} is missing`);
    return storedRecordOf(row);
  };

  const expectCurrent = (key: KeyBytes, expected: Revision | undefined): Current => {
    const current = currentOf(key);
    if (current === undefined) throw notFound(textOf(key));
    if (expected !== undefined && current.revision !== expected)
      throw conflict(textOf(key), current.revision, expected);
    return current;
  };

  const addExpiries = (): void => {
    if (withoutExpiry !== undefined) statements.expiries.run(withoutExpiry);
    withoutExpiry = undefined;
  };

  const removeCurrent = (state: State, key: KeyBytes, current: Current, expiresAt: number): Revision => {
    const by = nextRevision(state);
    statements.remove.run(key);
    statements.expired.run(expiresAt, current.revision);
    history.add(state, { ...current, kind: ENDED.deleted, by, key });
    statements.insert.run(by, current.revision, expiresAt, null, key, namespaceOf(key), null, null);
    return by;
  };

  const put = (state: State, operation: PutOperation, withPrevious: boolean): WriteResult => {
    const { expected, expiresAt, regardingName, regardingUid, sidecar, data } = operation;
    const key = encoded(operation.key);
    const before = expected === undefined ? undefined : expectCurrent(key, expected);
    const revision = nextRevision(state);
    const object = objects.numberOf(regardingName, regardingUid);
    if (before !== undefined) {
      const kind = object === before.object ? ENDED.replaced : ENDED.replacedByOtherObject;
      if (kind === ENDED.replaced) statements.replace.run(revision, data.length, key);
      else statements.replaceObject.run(revision, data.length, object, key);
      history.add(state, { ...before, kind, by: revision, key });
    } else if (statements.create.run(key, revision, object, data.length) === 0) {
      state.latest = revision - 1;
      if (object !== null) objects.release([object]);
      throw exists(operation.key);
    }
    const previous = before?.revision ?? null;
    statements.insert.run(revision, previous, expiresAt, object, key, namespaceOf(key), encoded(sidecar), data);
    withoutExpiry ??= revision - 1;
    return { kind: 'written', revision, previous: before && withPrevious ? versionAt(before.revision) : undefined };
  };

  const remove = (state: State, key: KeyBytes, expected: Revision | undefined): WriteResult => {
    const current = expectCurrent(key, expected);
    const previous = versionAt(current.revision);
    return { kind: 'written', revision: removeCurrent(state, key, current, previous.expiresAt), previous };
  };

  const expire = (state: State, dueAt: number, limit: number): number => {
    let count = 0;
    for (let round = 0; count < limit && round < STALE_EXPIRIES; round++) {
      const asked = limit - count;
      const rows = statements.due.all(dueAt, asked) as readonly DueRow[];
      for (const { expiresAt, revision, key: found } of rows) {
        const key = found === null ? undefined : bytesOf(found);
        const current = key && currentOf(key);
        if (key === undefined || current?.revision !== revision) {
          statements.expired.run(expiresAt, revision);
          cleaned = true;
          continue;
        }
        removeCurrent(state, key, current, expiresAt);
        count++;
      }
      if (rows.length < asked) break;
    }
    return count;
  };

  return {
    /** Where the condition of the operation does not hold, the error is the result, and nothing is changed. */
    apply(state: State, operation: WriteOperation, withPrevious: boolean): WriteResult | StoreError {
      if (operation.kind !== 'put') addExpiries();
      try {
        switch (operation.kind) {
          case 'put':
            return put(state, operation, withPrevious);
          case 'remove':
            return remove(state, encoded(operation.key), operation.expected);
          case 'expire':
            return { kind: 'count', count: expire(state, operation.dueAt, operation.limit) };
          case 'prune':
            return { kind: 'count', count: history.prune(state, operation.limit) };
        }
      } catch (error) {
        // Thrown before a row was changed.
        if (isStoreError(error)) return error;
        throw error;
      }
    },
    history: history as History,
    /** Whether the transaction changed something that no counter shows. */
    hasCleaned: (): boolean => cleaned,
    begin(): void {
      cleaned = false;
      withoutExpiry = undefined;
    },
    /** After the last operation of a transaction. */
    end: (): void => addExpiries(),
    rolledBack(): void {
      objects.rolledBack();
      history.rolledBack();
    },
  };
}
