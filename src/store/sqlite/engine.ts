import type { Revision } from '../contract.js';
import { storeError, type StoreError } from '../errors.js';
import type { LoadedDriver } from './driver.js';
import { openEngineFile } from './engine-file.js';
import { faultOf, sqliteFailure } from './failure.js';
import type { EngineOptions } from './options.js';
import { readStoredChanges } from './read-changes.js';
import { readStoredList, type StoredPage, type StoredQuery } from './read-list.js';
import type { Session } from './session.js';
import { readState, writeState, type State } from './state.js';
import { recordOf, type KeyBytes, type StoredChange, type StoredRecord } from './stored.js';
import { WRITE_STATEMENTS, type WriteOperation, type WriteResult } from './write-batch.js';

/** With each operation of a batch, history is forgotten at most this fast: faster than it grows. */
const FORGET_PER_OPERATION = 3;
/** A probe takes this much, so that it fails where an ordinary event would. */
const PROBE_BYTES = 16_384;

/** A list as it is asked for: `at` may be absent. */
export type EngineQuery = Omit<StoredQuery, 'at' | 'isLatest'> & { readonly at: Revision | undefined };

/**
 * The store on one connection, without threads and without promises. `now` is the wall clock in microseconds. Everything
 * fails with a StoreError.
 */
export interface SqliteEngine {
  /** Commits a batch in one transaction: a result for each operation, in order. */
  write(operations: readonly WriteOperation[], now: number): readonly (WriteResult | StoreError)[];
  get(key: KeyBytes): StoredRecord | undefined;
  list(query: EngineQuery): StoredPage & { readonly revision: Revision };
  changes(after: Revision): readonly StoredChange[];
  revision(): Revision;
  /** Ends well when a write would have a chance. */
  ping(): void;
  /** When history has to be forgotten next, microseconds; 0: now. */
  nextDue(): number | undefined;
  /** Moves the log into the file and lets go of it. */
  close(): void;
}

/** Operations that make room. */
const makesRoom = ({ kind }: WriteOperation): boolean => kind !== 'put';

/**
 * Opens the file, or makes it, and takes its lock.
 *
 * @throws StoreError `unavailable` that says what is wrong with the file and what to do.
 */
export function openEngine(driver: LoadedDriver, options: EngineOptions, now: number): SqliteEngine {
  const { path, startAt } = options;

  const file = openEngineFile(driver, options, now);
  let state: State;
  try {
    state = readState(file.use().connection);
  } catch (error) {
    file.close();
    throw file.failure(error);
  }

  /** Why the last write failed, until one succeeds. */
  let trouble: StoreError | undefined;
  /** Damage was seen: nothing is written any more. */
  let damage: StoreError | undefined;

  const noticed = (error: unknown): StoreError => {
    const failed = sqliteFailure(path, error);
    if (faultOf(error) === 'corrupt') damage = failed;
    return failed;
  };

  const read = <T>(work: (open: Session) => T): T => {
    let open: Session;
    try {
      open = file.use();
    } catch (error) {
      throw file.failure(error);
    }
    try {
      return work(open);
    } catch (error) {
      if (error instanceof Error && 'current' in error) throw error;
      throw noticed(error);
    }
  };

  const rollBack = ({ connection, writer }: Session): boolean => {
    writer.rolledBack();
    try {
      connection.exec('ROLLBACK');
      return true;
    } catch (error) {
      // SQLite rolls back by itself on some errors; then there is nothing left to end.
      return /no transaction/i.test(error instanceof Error ? error.message : '');
    }
  };

  /**
   * After a failed commit nobody but the file knows whether it happened. A new connection reads what a restart would, and
   * what is found is made safe before it is confirmed.
   */
  const happened = (draft: State): boolean | undefined => {
    file.giveUp();
    try {
      const { connection } = file.use();
      if (readState(connection).latest !== draft.latest) return false;
      const row = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return row?.['busy'] === 0 ? true : undefined;
    } catch {
      return undefined;
    }
  };

  /** One transaction. A driver's error is returned with what is known about the file. */
  const attempt = (
    operations: readonly WriteOperation[],
    now: number,
  ): readonly (WriteResult | StoreError)[] | { readonly error: unknown; readonly unknown: boolean } => {
    const draft: State = { ...state, lastAt: Math.max(state.lastAt, Math.floor(now)) };
    let committing = false;
    let open: Session | undefined;
    let results: readonly (WriteResult | StoreError)[] = [];
    try {
      open = file.use();
      open.connection.exec('BEGIN IMMEDIATE');
      const { writer } = open;
      results = operations.map((operation) => writer.apply(draft, operation));
      if (trouble === undefined) writer.forget(draft, operations.length * FORGET_PER_OPERATION);
      const unchanged = draft.latest === state.latest && draft.historyBytes === state.historyBytes;
      if (!unchanged) writeState(open.saveState, draft);
      committing = !unchanged;
      if (unchanged) writer.rolledBack();
      open.connection.exec(unchanged ? 'ROLLBACK' : 'COMMIT');
      if (unchanged) return results;
    } catch (error) {
      const clean = open === undefined || rollBack(open);
      const isSure = !committing || faultOf(error) === 'full' || faultOf(error) === 'busy';
      if (clean && isSure) return { error, unknown: false };
      const outcome = happened(draft);
      if (outcome !== true) return { error, unknown: outcome === undefined && committing };
    }
    state = draft;
    trouble = undefined;
    return results;
  };

  const write = (operations: readonly WriteOperation[], now: number): readonly (WriteResult | StoreError)[] => {
    if (damage !== undefined) return operations.map(() => damage as StoreError);
    let outcome = attempt(operations, now);
    if (!('error' in outcome)) return outcome;
    const fault = faultOf(outcome.error);
    if (!outcome.unknown && (fault === 'full' || fault === 'io')) {
      trouble = noticed(outcome.error);
      // One that does not fit must not take the others with it.
      if (operations.length > 1)
        return operations.map((operation) => write([operation], now)[0] as WriteResult | StoreError);
      // What makes room is tried once more.
      if (operations.every(makesRoom)) outcome = file.inReserve(() => attempt(operations, now));
      if (!('error' in outcome)) return outcome;
    }
    const failed = noticed(outcome.error);
    trouble = failed;
    const answer = outcome.unknown
      ? storeError('unknown-outcome', `${failed.message}, and it cannot be told whether the write happened`)
      : failed;
    return operations.map(() => answer);
  };

  /** Writes something as large as an event and takes it away again. */
  const probe = (): void => {
    const { connection } = file.use();
    connection.exec(`INSERT OR REPLACE INTO probe VALUES (1, zeroblob(${PROBE_BYTES}))`);
    connection.exec('DELETE FROM probe');
  };

  /** A restart never gives out a revision again, even if the file was deleted or restored from a copy. */
  const raise = (): void => {
    const raised = Math.min(Number.MAX_SAFE_INTEGER, Math.floor(now));
    if (startAt !== undefined || raised <= state.latest) return;
    state.latest = raised;
    try {
      writeState(file.use().saveState, state);
    } catch (error) {
      // Reading goes on where there is no room to write; the next write will say so, and carry the number.
      trouble = noticed(error);
    }
  };
  raise();

  return {
    write,
    get: (key) =>
      read(({ prepare }) => {
        const row = prepare(WRITE_STATEMENTS.current).get(key);
        return row === undefined ? undefined : recordOf(row);
      }),
    list: (query) =>
      read(({ prepare }) => {
        const { latest, floor } = state;
        const at = query.at ?? latest;
        if (!(at <= latest))
          throw storeError('future-revision', `revision ${at} has not happened yet`, { current: latest });
        if (at < floor) throw storeError('expired', `revision ${at} is older than the history`, { current: floor });
        return { ...readStoredList(prepare, { ...query, at, isLatest: at === latest }), revision: at };
      }),
    changes: (after) =>
      read(({ prepare }) => {
        if (after < state.floor) {
          throw storeError('expired', `revision ${after} is older than the history`, { current: state.floor });
        }
        return readStoredChanges(prepare, after);
      }),
    revision: () => read(() => state.latest),
    ping() {
      if (damage !== undefined) throw damage;
      try {
        if (trouble !== undefined) probe();
        else {
          const { connection } = file.use();
          connection.exec('BEGIN IMMEDIATE');
          connection.exec('ROLLBACK');
        }
      } catch (error) {
        throw noticed(error);
      }
      trouble = undefined;
    },
    nextDue: () => (damage === undefined ? read(({ writer }) => writer.nextDue(state)) : undefined),
    close: file.close,
  };
}
