import { storeError, type StoreError } from '../contract/errors.js';
import type { EngineFile } from './engine-file.js';
import { faultOf, sqliteFailure } from './failure.js';
import type { Session } from './session.js';
import { readState, timeOf, type State } from './state.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** With each operation of a batch, history is forgotten at most this fast: faster than it grows. */
const FORGET_PER_OPERATION = 2;
/** A probe takes this much, so that it fails where an ordinary event would. */
const PROBE_BYTES = 16_384;

/** What does not fit is tried again in slices this much smaller. */
const SMALLER = 8;

/** What became of each operation of a batch. */
type Results = readonly (WriteResult | StoreError)[];

/** The transactions of an engine: its counters, and what is known of its failures. */
export interface Commits {
  /** The counters as they are in the file. */
  readonly state: State;
  /** Damage was seen: nothing is written any more. */
  readonly damage: StoreError | undefined;
  /** Takes the counters of this opening. Where there is no room to write them, the next write does. */
  begin(state: State): void;
  /** See `SqliteEngine`. */
  write(operations: readonly WriteOperation[], now: number, withPrevious: boolean): Results;
  /** See `SqliteEngine`. */
  ping(): void;
  /** What a driver's error means. Damage is remembered. */
  noticed(error: unknown): StoreError;
}

/** Operations that make room. */
const makesRoom = ({ kind }: WriteOperation): boolean => kind !== 'put';
const bytesOf = (operation: WriteOperation): number => (operation.kind === 'put' ? operation.data.length : 0);
/** What may fit where an operation did not; `undefined`: nothing less. */
function smaller(operation: WriteOperation): WriteOperation | undefined {
  if (!('limit' in operation) || operation.limit <= 1) return undefined;
  return { ...operation, limit: Math.ceil(operation.limit / SMALLER) };
}

/** Makes the transactions of a file whose counters are `state`. */
export function createCommits(path: string, file: EngineFile, first: State): Commits {
  let state = first;
  /** Why the last write failed, until one succeeds. */
  let trouble: StoreError | undefined;
  /** Damage was seen: nothing is written any more. */
  let damage: StoreError | undefined;

  const noticed = (error: unknown): StoreError => {
    const failed = sqliteFailure(path, error);
    if (faultOf(error) === 'corrupt') damage = failed;
    return failed;
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
    withPrevious: boolean,
  ): Results | { readonly error: unknown; readonly unknown: boolean } => {
    const draft: State = { ...state, ...timeOf(state, now) };
    let committing = false;
    let open: Session | undefined;
    let results: Results = [];
    try {
      open = file.use();
      open.connection.exec('BEGIN IMMEDIATE');
      const { writer } = open;
      writer.begin();
      results = operations.map((operation) => writer.apply(draft, operation, withPrevious));
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
  const persist = (operation: WriteOperation, now: number, withPrevious: boolean, failed: Outcome): Outcome => {
    if (!makesRoom(operation)) return attempt([operation], now, withPrevious);
    let outcome = failed;
    for (let less: WriteOperation | undefined = operation; less !== undefined; less = smaller(less)) {
      const next: WriteOperation = less;
      outcome = file.room.inReserve(() => attempt([next], now, withPrevious), lacksRoom);
      if (!lacksRoom(outcome)) break;
    }
    return outcome;
  };

  const write = (operations: readonly WriteOperation[], now: number, withPrevious: boolean): Results => {
    const refused = damage ?? file.problem();
    if (refused !== undefined) return operations.map(() => refused);
    const bytes = operations.reduce((sum, operation) => sum + bytesOf(operation), 0);
    if (bytes > file.room.mostBytes && operations.length > 1) {
      const half = operations.length >> 1;
      return [
        ...write(operations.slice(0, half), now, withPrevious),
        ...write(operations.slice(half), now, withPrevious),
      ];
    }
    try {
      file.room.keep();
      let outcome = attempt(operations, now, withPrevious);
      if (lacksRoom(outcome) && 'error' in outcome) {
        trouble = noticed(outcome.error);
        file.room.tighten();
        // One that does not fit must not take the others with it.
        if (operations.length > 1)
          return operations.map((operation) => write([operation], now, withPrevious)[0] as WriteResult | StoreError);
        outcome = persist(operations[0] as WriteOperation, now, withPrevious, outcome);
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

  return {
    get state() {
      return state;
    },
    get damage() {
      return damage;
    },
    begin(opened) {
      state = opened;
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
    },
    write,
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
    noticed,
  };
}
