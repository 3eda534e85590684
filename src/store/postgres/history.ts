import type { Clock, ClockTimer } from '../../clock/clock.js';
import { nextTurn } from '../next-turn.js';
import { quoted } from './names.js';
import type { Requests } from './requests.js';
import { numberOf } from './rows.js';

/** For {@link createHistory}. */
export interface HistoryOptions {
  readonly requests: Requests;
  readonly schema: string;
  readonly clock: Clock;
  readonly historyMs: number;
  /** Receives what went wrong; it is tried again. */
  onError(error: unknown): void;
}

/** Forgets what is older than the history to be kept. */
export interface History {
  start(): void;
  /** Something was written: looks whether it is time, too. */
  written(): void;
  close(): Promise<void>;
}

/** Rows of the log that one step passes over. */
const STEP = 500;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Makes a {@link History} that works in small steps, at twenty moments of the time it keeps. */
export function createHistory({ requests, schema, clock, historyMs, onError }: HistoryOptions): History {
  const pauseMs = Math.min(Math.max(historyMs / 20, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  const statement = {
    name: `${schema}.compact`,
    text: `SELECT ${quoted(schema)}.compact($1::bigint, $2::integer)::text AS passed`,
  };
  let timer: ClockTimer | undefined;
  let working: Promise<void> | undefined;
  let dueAt = clock.monotonic() + pauseMs;
  let closed = false;

  const forget = async (): Promise<void> => {
    try {
      const before = String(Math.floor(clock.now() - historyMs * 1000) - 1);
      while (!closed) {
        const [row] = await requests.write(statement, [before, String(STEP)]);
        if (numberOf(row?.['passed']) < STEP) return;
        await nextTurn();
      }
    } catch (error) {
      onError(error);
    }
  };

  const work = (): void => {
    dueAt = clock.monotonic() + pauseMs;
    if (closed || working !== undefined) return;
    working = forget().finally(() => {
      working = undefined;
    });
  };

  const plan = (): void => {
    timer = clock.setTimer(() => {
      work();
      plan();
    }, pauseMs);
  };

  return {
    start: plan,
    written() {
      if (clock.monotonic() >= dueAt) work();
    },
    async close() {
      closed = true;
      timer?.cancel();
      await working;
    },
  };
}
