import { messageOf } from '../../model/error-message.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { StoreFile, Session } from './store-file.js';
import { faultOf, isSyncFailure, lacksSpace, sqliteFailure } from './failure.js';
import { BUSY_TIMEOUT } from './open-database.js';
import { readState, timeOf, writeState, type State } from './state.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** The most versions of history that are pruned for each operation of a batch: more than one adds. */
const PRUNED_PER_OPERATION = 2;
/** Writes as much as an ordinary event, which fails where that would, and removes it. */
const PROBE = 'INSERT OR REPLACE INTO probe VALUES (1, zeroblob(16384)); DELETE FROM probe';
/** An operation that does not fit is tried again with a limit this many times smaller. */
const SMALLER = 8;

type Results = readonly (WriteResult | StoreError)[];

interface Failed {
  readonly error: unknown;
  /** Whether it may have been committed nevertheless. */
  readonly isUnknown: boolean;
}

const hasFailed = (outcome: Results | Failed): outcome is Failed => 'error' in outcome;
const didNotFit = (outcome: Results | Failed): outcome is Failed =>
  hasFailed(outcome) && !outcome.isUnknown && lacksSpace(outcome.error);

function smaller(operation: WriteOperation): WriteOperation | undefined {
  if (!('limit' in operation) || operation.limit <= 1) return undefined;
  return { ...operation, limit: Math.ceil(operation.limit / SMALLER) };
}

export type Commits = ReturnType<typeof createCommits>;

/** The transactions of a file: its counters, which are `first` at the beginning, and its failures. */
export function createCommits(path: string, file: StoreFile, first: State) {
  let state = first;
  /** The counters that the file has; `undefined`: it is not certain. */
  let stored: State | undefined;
  let writeFailure: StoreError | undefined;
  /** Damage, or a write of another program, was found: nothing is written any more. */
  let damage: StoreError | undefined;
  /** The counters of a commit that failed, until the file has shown whether it happened. */
  let doubtful: State | undefined;
  /** The log may hold such a commit, or hold it without having it on disk. */
  let isUnsynced = false;

  const noticed = (error: unknown): StoreError => {
    if (error === damage && damage !== undefined) return damage;
    const failed = sqliteFailure(path, error);
    if (faultOf(error) === 'corrupt') damage = failed;
    return failed;
  };

  /** What another program put into the file, as `.restore` does, must not be mixed with what this store knows. */
  const checkUnchanged = ({ connection }: Session): void => {
    const { latest, opening } = readState(connection);
    if (stored !== undefined && (latest !== stored.latest || opening !== stored.opening)) {
      damage = storeError(
        'unavailable',
        `the database file ${path} cannot be written: another program changed it while it was open: ` +
          'stop the service, put the right files in place, and start it',
      );
      throw damage;
    }
  };

  const rollBack = ({ connection, writer }: Session): boolean => {
    writer.rolledBack();
    try {
      connection.exec('ROLLBACK');
      return true;
    } catch (error) {
      // SQLite rolls back by itself on some errors.
      return /no transaction/i.test(messageOf(error));
    }
  };

  /** The connection. `state` has the counters of the file afterwards, also where a doubtful commit happened. */
  const use = (): Session => {
    const session = file.use();
    if (doubtful === undefined) return session;
    const { latest, floor, historyBytes } = readState(session.connection);
    const isThere = latest === doubtful.latest && floor === doubtful.floor && historyBytes === doubtful.historyBytes;
    if (isThere) state = doubtful;
    isUnsynced ||= isThere;
    doubtful = undefined;
    return session;
  };

  /** The connection for writing. A doubtful log is emptied into the file first: nothing may follow what is not on disk. */
  const useSynced = (): Session => {
    const session = use();
    if (!isUnsynced) return session;
    // Without waiting for a reader in another process: reads share this thread.
    session.connection.exec('PRAGMA busy_timeout = 0');
    let row;
    try {
      row = session.connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    } finally {
      session.connection.exec(BUSY_TIMEOUT);
    }
    if (row?.['busy'] !== 0) throw new Error('its log cannot be written again while another program reads it');
    isUnsynced = false;
    return session;
  };

  /**
   * After a failed commit only a new connection shows whether it happened. One that is found is synced before it is
   * acknowledged. While the old connection is open, as with libsql, one that was only not synced is not found.
   */
  const happened = (draft: State, error: unknown): boolean | undefined => {
    file.drop();
    doubtful = draft;
    isUnsynced ||= isSyncFailure(error);
    try {
      useSynced();
      return state === draft;
    } catch {
      return undefined;
    }
  };

  const attempt = (operations: readonly WriteOperation[], now: number, withPrevious: boolean): Results | Failed => {
    let draft = state;
    let committing = false;
    let open: Session | undefined;
    let results: Results = [];
    try {
      open = useSynced();
      draft = { ...state, ...timeOf(state, now) };
      const { connection, writer } = open;
      connection.exec('BEGIN IMMEDIATE');
      checkUnchanged(open);
      writer.begin();
      results = operations.map((operation) => writer.apply(draft, operation, withPrevious));
      writer.end();
      if (writeFailure === undefined) writer.history.prune(draft, operations.length * PRUNED_PER_OPERATION);
      if (draft.latest === state.latest && draft.historyBytes === state.historyBytes && !writer.hasCleaned()) {
        writer.rolledBack();
        connection.exec('ROLLBACK');
        // Time advances even when nothing is written.
        state = { ...state, lastAt: draft.lastAt, ahead: draft.ahead };
        return results;
      }
      writeState(connection, draft);
      committing = true;
      connection.exec('COMMIT');
    } catch (error) {
      const isClean = open === undefined || rollBack(open);
      if (committing) stored = undefined;
      const isSure = !committing || faultOf(error) === 'full' || faultOf(error) === 'busy';
      if (isClean && isSure) return { error, isUnknown: false };
      const outcome = happened(draft, error);
      if (outcome !== true || !committing) return { error, isUnknown: outcome === undefined && committing };
    }
    state = stored = draft;
    writeFailure = undefined;
    file.mark.note(state.latest);
    return results;
  };

  /** Why nothing in the file can be relied on; `undefined`: it can. */
  const refusal = (): StoreError | undefined => damage ?? file.problem();

  /** What fails after a commit does not make the write a failure. */
  const afterCommit = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      writeFailure = noticed(error);
    }
  };

  /** Tries an operation that did not fit again, with all the space there is for it. */
  const persist = (operation: WriteOperation, now: number, withPrevious: boolean): Results | Failed => {
    const once = (): Results | Failed => attempt([operation], now, withPrevious);
    if (operation.kind === 'put') return once();
    const outcome = file.diskSpace.inReserve(once, didNotFit, afterCommit);
    const less = smaller(operation);
    return less !== undefined && didNotFit(outcome) ? persist(less, now, withPrevious) : outcome;
  };

  const write = (operations: readonly WriteOperation[], now: number, withPrevious: boolean): Results => {
    const refused = refusal();
    if (refused !== undefined) return operations.map(() => refused);
    const inParts = (length: number): Results =>
      Array.from({ length: Math.ceil(operations.length / length) }, (_, part) =>
        write(operations.slice(part * length, (part + 1) * length), now, withPrevious),
      ).flat();
    const bytes = operations.reduce((sum, one) => sum + (one.kind === 'put' ? one.data.length : 0), 0);
    if (bytes > file.diskSpace.maxTransactionBytes && operations.length > 1)
      return inParts(Math.ceil(operations.length / 2));
    try {
      file.diskSpace.recheck();
      let outcome = attempt(operations, now, withPrevious);
      if (didNotFit(outcome)) {
        writeFailure = noticed(outcome.error);
        file.diskSpace.enterLowSpace();
        // An operation that does not fit must not fail the others.
        if (operations.length > 1) return inParts(1);
        outcome = persist(operations[0] as WriteOperation, now, withPrevious);
      }
      if (!hasFailed(outcome)) {
        afterCommit(() => file.diskSpace.written(operations.length, bytes));
        return outcome;
      }
      const failed = (writeFailure = noticed(outcome.error));
      const result = outcome.isUnknown
        ? storeError('unknown-outcome', `${failed.message}, and whether the write happened is unknown`)
        : failed;
      return operations.map(() => result);
    } catch (error) {
      const failed = noticed(error);
      return operations.map(() => failed);
    }
  };

  return {
    use: (): Session => use(),
    get state(): State {
      return state;
    },
    /** Why nothing is written any more. */
    get damage(): StoreError | undefined {
      return damage;
    },
    /** Takes the counters of this opening. Where there is no room to write them, the next write does. */
    begin(opened: State): void {
      state = opened;
      const save = (): void => {
        writeState(file.use().connection, state);
        stored = state;
      };
      try {
        try {
          save();
        } catch (error) {
          if (faultOf(error) !== 'full') throw error;
          file.diskSpace.enterLowSpace();
          save();
        }
      } catch (error) {
        // Reads work where there is no room to write; the next write fails for the same reason, or stores the counters.
        writeFailure = noticed(error);
      }
    },
    write: (operations: readonly WriteOperation[], now: number, withPrevious: boolean): Results =>
      write(operations, now, withPrevious),
    /** Syncs a commit of unknown outcome, or fails: what is read afterwards is on disk, and nothing appears later. */
    resolveOutcome(): void {
      const refused = refusal();
      if (refused !== undefined) throw refused;
      checkUnchanged(useSynced());
    },
    ping(): void {
      const refused = refusal();
      if (refused !== undefined) throw refused;
      try {
        file.diskSpace.recheck();
        const session = useSynced();
        checkUnchanged(session);
        const isDoubtful = writeFailure !== undefined || file.diskSpace.isSpaceLow();
        session.connection.exec(isDoubtful ? PROBE : 'BEGIN IMMEDIATE; ROLLBACK');
      } catch (error) {
        writeFailure = noticed(error);
        throw writeFailure;
      }
      writeFailure = undefined;
    },
    /** The StoreError for a driver's error. Damage is recorded. */
    noticed: (error: unknown): StoreError => noticed(error),
  };
}
