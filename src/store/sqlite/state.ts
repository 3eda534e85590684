import type { Revision } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { SqlConnection } from './driver.js';

/** Where the wall clock is as close as this to history's own time, microseconds, that is the wall clock's again. */
const NEAR = 60_000_000;

/** The one row of counters. */
export interface State {
  /** The highest revision given out or shown. */
  latest: Revision;
  /** The oldest readable revision. */
  floor: Revision;
  /** When the last write happened, microseconds by history's own time. Never falls. */
  lastAt: number;
  /** How far history's own time is ahead of the wall clock, microseconds; see {@link timeOf}. */
  ahead: number;
  /** What ended rows cost, roughly. */
  historyBytes: number;
  /** A random number that each opening writes; see `OpeningMark`. */
  opening: number;
}

/** Gives a new database its counters. */
export function insertState(connection: SqlConnection, start: Revision): void {
  connection.exec(`INSERT INTO state (id, latest, floor, last_at, history_bytes) VALUES (1, ${start}, ${start}, 0, 0)`);
}

/** Reads the counters. */
export function readState(connection: SqlConnection): State {
  const row = connection.prepare('SELECT latest, floor, last_at, ahead, history_bytes, opening FROM state').get();
  if (row === undefined) throw new Error('it is damaged: its counters are missing');
  return {
    latest: Number(row['latest']),
    floor: Number(row['floor']),
    lastAt: Number(row['last_at']),
    ahead: Number(row['ahead']),
    historyBytes: Number(row['history_bytes']),
    opening: Number(row['opening']),
  };
}

/** Prepares to write the counters. */
export function prepareWriteState(connection: SqlConnection): (state: State) => void {
  const statement = connection.prepare(
    'UPDATE state SET latest = ?, floor = ?, last_at = ?, ahead = ?, history_bytes = ?, opening = ?',
  );
  return ({ latest, floor, lastAt, ahead, historyBytes, opening }) =>
    void statement.run(latest, floor, lastAt, ahead, historyBytes, opening);
}

/**
 * The moment of a write by history's own time, which goes on as the wall clock does and never back: where that is set back,
 * the difference is remembered until the clock is where it was. Without it a clock that was a year ahead for a second would
 * keep all history of that year.
 */
export function timeOf({ lastAt, ahead }: State, now: number): Pick<State, 'lastAt' | 'ahead'> {
  const wall = Math.floor(now);
  const goesOn = wall < lastAt - NEAR && wall + ahead >= lastAt;
  const at = goesOn ? wall + ahead : Math.max(wall, lastAt);
  return { lastAt: at, ahead: at - wall };
}

/** Gives out the next revision. */
export function nextRevision(state: State): Revision {
  if (state.latest >= Number.MAX_SAFE_INTEGER) throw storeError('unavailable', 'all revisions are used up');
  state.latest += 1;
  return state.latest;
}
