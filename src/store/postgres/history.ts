import { type ClockTimer, nextTurn } from '../../clock/clock.js';
import { quoted } from './names.js';
import type { PostgresStoreOptions } from './options.js';
import type { StoreParts } from './requests.js';
import { numberOf } from './rows.js';

/** Forgets what is older than the history to be kept, or more. */
export interface History {
  start(): void;
  /** So many bytes were written, roughly: looks whether it is time, or too much. */
  written(bytes: number): void;
  close(): Promise<void>;
}

/** Rows of the log that one step passes over. */
const STEP = 500;
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** This part of the bytes that history may take was written: it is looked at, whatever the time. */
const PART = 8;

/** Makes a {@link History} that works in small steps, at twenty moments of the time it keeps. */
export function createHistory(
  { requests, schema, timers, clock, onError }: Omit<StoreParts, 'client' | 'timeoutMs'>,
  { historyMs = 600_000, historyMaxBytes = 268_435_456 }: PostgresStoreOptions,
): History {
  const pauses = clock ?? timers;
  const pauseMs = Math.min(Math.max(historyMs / 20, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  const statement = {
    name: `${schema}.compact`,
    text: `SELECT ${quoted(schema)}.compact($1::bigint, $2::integer, $3::bigint, $4::bigint)::text AS passed`,
  };
  let timer: ClockTimer | undefined;
  let working: Promise<void> | undefined;
  let dueAt = pauses.monotonic() + pauseMs;
  /** Bytes written since it was looked at. */
  let since = 0;
  let closed = false;

  const forget = async (): Promise<void> => {
    try {
      const keep = String(Math.floor(historyMs * 1000));
      const now = clock === undefined ? null : String(Math.floor(clock.now()));
      while (!closed) {
        const [row] = await requests.write(statement, [keep, String(STEP), String(historyMaxBytes), now]);
        if (numberOf(row?.['passed']) < STEP) return;
        await nextTurn();
      }
    } catch (error) {
      onError(error);
    }
  };

  const work = (): void => {
    dueAt = pauses.monotonic() + pauseMs;
    if (closed || working !== undefined) return;
    since = 0;
    working = forget().finally(() => {
      working = undefined;
      // What was written meanwhile may be the last for a long time.
      if (isMuch()) work();
    });
  };
  const isMuch = (): boolean => since > 0 && since * PART >= historyMaxBytes;

  const plan = (): void => {
    timer = pauses.setTimer(() => {
      work();
      plan();
    }, pauseMs);
  };

  return {
    start: plan,
    written(bytes) {
      since += bytes;
      if (isMuch() || pauses.monotonic() >= dueAt) work();
    },
    async close() {
      closed = true;
      timer?.cancel();
      await working;
    },
  };
}
