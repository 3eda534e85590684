import type { Revision } from '../contract.js';
import { storeError } from '../errors.js';
import type { SqlConnection, SqlStatement } from './driver.js';

/** The one row of counters. */
export interface State {
  /** The highest revision given out or shown. */
  latest: Revision;
  /** The oldest readable revision. */
  floor: Revision;
  /** When the last write happened, microseconds. Never falls. */
  lastAt: number;
  /** What ended rows cost, roughly. */
  historyBytes: number;
}

/** Gives a new database its counters. */
export function insertState(connection: SqlConnection, start: Revision): void {
  connection.exec(`INSERT INTO state VALUES (1, ${start}, ${start}, 0, 0)`);
}

/** Reads the counters. */
export function readState(connection: SqlConnection): State {
  const row = connection.prepare('SELECT latest, floor, last_at, history_bytes FROM state').get();
  if (row === undefined) throw new Error('it is damaged: its counters are missing');
  return {
    latest: Number(row['latest']),
    floor: Number(row['floor']),
    lastAt: Number(row['last_at']),
    historyBytes: Number(row['history_bytes']),
  };
}

/** Prepares the statement that `writeState` runs. */
export function prepareWriteState(connection: SqlConnection): SqlStatement {
  return connection.prepare('UPDATE state SET latest = ?, floor = ?, last_at = ?, history_bytes = ?');
}

/** Writes the counters. */
export function writeState(statement: SqlStatement, { latest, floor, lastAt, historyBytes }: State): void {
  statement.run(latest, floor, lastAt, historyBytes);
}

/** Gives out the next revision. */
export function nextRevision(state: State): Revision {
  if (state.latest >= Number.MAX_SAFE_INTEGER) throw storeError('unavailable', 'all revisions are used up');
  state.latest += 1;
  return state.latest;
}
