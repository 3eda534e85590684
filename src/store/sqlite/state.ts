import type { Revision } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { SqlConnection } from './driver.js';

/** When the wall clock is at most this far behind history's time, microseconds, history's time follows it again. */
const NEAR = 60_000_000;

export interface State {
  /** The highest revision that was assigned or shown. */
  latest: Revision;
  /** The oldest readable revision. */
  floor: Revision;
  /** When the last write happened, microseconds by history's time. Never falls. */
  lastAt: number;
  /** How far history's time is ahead of the wall clock, microseconds; see {@link timeOf}. */
  ahead: number;
  /** What ended rows cost, roughly. */
  historyBytes: number;
  /** A random number that each opening writes; see `MarkerFile`. */
  opening: number;
}

export function insertState(connection: SqlConnection, start: Revision): void {
  connection.exec(`INSERT INTO state (id, latest, floor, last_at, history_bytes) VALUES (1, ${start}, ${start}, 0, 0)`);
}

export function readState(connection: SqlConnection): State {
  const sql = 'SELECT latest, floor, last_at AS lastAt, ahead, history_bytes AS historyBytes, opening FROM state';
  const row = connection.prepare(sql).get();
  if (row === undefined) throw new Error('it is damaged: its counters are missing');
  return { ...(row as unknown as State) };
}

export function writeState(connection: SqlConnection, state: State): void {
  const { latest, floor, lastAt, ahead, historyBytes, opening } = state;
  connection
    .prepare('UPDATE state SET latest = ?, floor = ?, last_at = ?, ahead = ?, history_bytes = ?, opening = ?')
    .run(latest, floor, lastAt, ahead, historyBytes, opening);
}

/**
 * The time of a write by history's time, which never runs backwards: when the wall clock is set back, the difference is
 * kept until it has caught up. Otherwise a clock a year ahead for a second would keep all history of that year.
 */
export function timeOf({ lastAt, ahead }: State, now: number): Pick<State, 'lastAt' | 'ahead'> {
  const wall = Math.floor(now);
  const isAhead = wall < lastAt - NEAR && wall + ahead >= lastAt;
  const at = isAhead ? wall + ahead : Math.max(wall, lastAt);
  return { lastAt: at, ahead: at - wall };
}

export function nextRevision(state: State): Revision {
  if (state.latest >= Number.MAX_SAFE_INTEGER) throw storeError('unavailable', 'all revisions are used up');
  return (state.latest += 1);
}
