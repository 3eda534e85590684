import type { Revision } from '../contract/event-store.js';
import { checkReadable, expired } from '../contract/conditions.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { LoadedDriver } from './driver.js';
import { openEngineFile } from './engine-file.js';
import { faultOf, sqliteFailure } from './failure.js';
import { stateOfOpening } from './opening-mark.js';
import type { EngineOptions } from './options.js';
import { readStoredChanges } from './read-changes.js';
import { readStoredList, type StoredPage, type StoredQuery } from './read-list.js';
import type { Session } from './session.js';
import { readState, timeOf, type State } from './state.js';
import { CURRENT_RECORD, recordOf, type KeyBytes, type StoredChange, type StoredRecord } from './stored.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** With each operation of a batch, history is forgotten at most this fast: faster than it grows. */
const FORGET_PER_OPERATION = 2;
/** A probe takes this much, so that it fails where an ordinary event would. */
const PROBE_BYTES = 16_384;

/** What does not fit is tried again in slices this much smaller. */
const SMALLER = 8;
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
const bytesOf = (operation: WriteOperation): number => (operation.kind === 'put' ? operation.data.length : 0);
/** What may fit where an operation did not; `undefined`: nothing less. */
function smaller(operation: WriteOperation): WriteOperation | undefined {
  if (!('limit' in operation) || operation.limit <= 1) return undefined;
  return { ...operation, limit: Math.ceil(operation.limit / SMALLER) };
}

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
   * After a failed commit only the file can tell whether it happened. A new connection reads what a restart would, and
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
    const draft: State = { ...state, ...timeOf(state, now) };
    let committing = false;
    let open: Session | undefined;
    let results: readonly (WriteResult | StoreError)[] = [];
    try {
      open = file.use();
      open.connection.exec('BEGIN IMMEDIATE');
      const { writer } = open;
      writer.begin();
      results = operations.map((operation) => writer.apply(draft, operation));
      if (trouble === undefined) writer.forget(draft, operations.length * FORGET_PER_OPERATION);
      const isSame = draft.latest === state.latest && draft.historyBytes === state.historyBytes;
      const unchanged = isSame && !writer.hasCleaned();
      if (!unchanged) open.saveState(draft);
      committing = !unchanged;
      if (unchanged) writer.rolledBack();
      open.connection.exec(unchanged ? 'ROLLBACK' : 'COMMIT');
      if (unchanged) {
        // Time goes on also where nothing is written.
        state = { ...state, lastAt: draft.lastAt, ahead: draft.ahead };
        return results;
      }
    } catch (error) {
      const clean = open === undefined || rollBack(open);
      const isSure = !committing || faultOf(error) === 'full' || faultOf(error) === 'busy';
      if (clean && isSure) return { error, unknown: false };
      const outcome = happened(draft);
      if (outcome !== true) return { error, unknown: outcome === undefined && committing };
    }
    state = draft;
    trouble = undefined;
    file.mark.note(state.latest);
    return results;
  };

  type Outcome = ReturnType<typeof attempt>;
  const lacksRoom = (outcome: Outcome): boolean => {
    if (!('error' in outcome) || outcome.unknown) return false;
    const fault = faultOf(outcome.error);
    return fault === 'full' || fault === 'io';
  };

  /** One operation that did not fit is tried with all the room there is for it. */
  const persist = (operation: WriteOperation, now: number, failed: Outcome): Outcome => {
    if (!makesRoom(operation)) return attempt([operation], now);
    let outcome = failed;
    for (let less: WriteOperation | undefined = operation; less !== undefined; less = smaller(less)) {
      const next: WriteOperation = less;
      outcome = file.room.inReserve(() => attempt([next], now), lacksRoom);
      if (!lacksRoom(outcome)) break;
    }
    return outcome;
  };

  const write = (operations: readonly WriteOperation[], now: number): readonly (WriteResult | StoreError)[] => {
    const refused = damage ?? file.problem();
    if (refused !== undefined) return operations.map(() => refused);
    const bytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
    if (bytes > file.room.mostBytes && operations.length > 1) {
      const half = operations.length >> 1;
      return [...write(operations.slice(0, half), now), ...write(operations.slice(half), now)];
    }
    try {
      file.room.keep();
      let outcome = attempt(operations, now);
      if (lacksRoom(outcome) && 'error' in outcome) {
        trouble = noticed(outcome.error);
        file.room.tighten();
        // One that does not fit must not take the others with it.
        if (operations.length > 1)
          return operations.map((operation) => write([operation], now)[0] as WriteResult | StoreError);
        outcome = persist(operations[0] as WriteOperation, now, outcome);
      }
      if (!('error' in outcome)) {
        file.room.written(operations.length, bytes);
        return outcome;
      }
      const failed = noticed(outcome.error);
      trouble = failed;
      const answer = outcome.unknown
        ? storeError('unknown-outcome', `${failed.message}, and it cannot be told whether the write happened`)
        : failed;
      return operations.map(() => answer);
    } catch (error) {
      const failed = noticed(error);
      return operations.map(() => failed);
    }
  };

  /** Writes something as large as an event and takes it away again. */
  const probe = (): void => {
    const { connection } = file.use();
    connection.exec(`INSERT OR REPLACE INTO probe VALUES (1, zeroblob(${PROBE_BYTES}))`);
    connection.exec('DELETE FROM probe');
  };

  const begin = (): void => {
    state = stateOfOpening(state, file.mark, file.isNew, startAt, now);
    const save = (): void => file.use().saveState(state);
    try {
      try {
        save();
      } catch (error) {
        if (faultOf(error) !== 'full') throw error;
        file.room.tighten();
        save();
      }
    } catch (error) {
      // Reading goes on where there is no room to write; the next write will say so, and carry the number.
      trouble = noticed(error);
    }
  };
  begin();

  return {
    write,
    get: (key) =>
      read(({ prepare }) => {
        const row = prepare(CURRENT_RECORD).get(key);
        return row === undefined ? undefined : recordOf(row);
      }),
    list: (query) =>
      read(({ prepare }) => {
        const { latest, floor } = state;
        const at = query.at ?? latest;
        checkReadable(at, floor, latest);
        return { ...readStoredList(prepare, { ...query, at, isLatest: at === latest }), revision: at };
      }),
    changes: (after) =>
      read(({ prepare }) => {
        if (after < state.floor) throw expired(after, state.floor);
        return readStoredChanges(prepare, after);
      }),
    revision: () => read(() => state.latest),
    ping() {
      const refused = damage ?? file.problem();
      if (refused !== undefined) throw refused;
      try {
        file.room.keep();
        if (trouble !== undefined || file.room.isTight()) probe();
        else {
          const { connection } = file.use();
          connection.exec('BEGIN IMMEDIATE');
          connection.exec('ROLLBACK');
        }
      } catch (error) {
        trouble = noticed(error);
        throw trouble;
      }
      trouble = undefined;
    },
    nextDue() {
      const due = damage === undefined ? read(({ writer }) => writer.nextDue(state)) : undefined;
      return due === undefined || due === 0 ? due : due - state.ahead;
    },
    close: () => file.close(state.latest),
  };
}
