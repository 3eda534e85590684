import { type ClockTimer, nextTurn } from '../../clock/clock.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import { quoted } from './names.js';
import type { PostgresStoreOptions } from './options.js';
import { stampOf, type StoreParts } from './requests.js';
import { numberOf } from './rows.js';

const STEP = 500;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** History is checked early after `historyMaxBytes` divided by this was written. */
const PART = 8;

/** Deletes history that is too old or too large, in small steps, every twentieth of `historyMs` (1 to 30 seconds). */
export function createHistory(
  { requests, schema, timers, clock }: Omit<StoreParts, 'client' | 'timeoutMs'>,
  failures: FailureSeries,
  { historyMs = 600_000, historyMaxBytes = 268_435_456 }: PostgresStoreOptions,
) {
  const pauses = clock ?? timers;
  const pauseMs = Math.min(Math.max(historyMs / 20, MIN_PAUSE_MS), MAX_PAUSE_MS);
  const statement = {
    name: `${schema}.compact`,
    text: `SELECT ${quoted(schema)}.compact($1::bigint, $2::integer, $3::bigint, $4::bigint)::text AS passed`,
  };
  let timer: ClockTimer | undefined;
  let working: Promise<void> | undefined;
  let since = 0;
  let closed = false;

  const prune = async (): Promise<void> => {
    try {
      const keep = String(Math.floor(historyMs * 1000));
      const now = stampOf(clock);
      while (!closed) {
        const [row] = await requests.write(statement, [keep, String(STEP), String(historyMaxBytes), now]);
        failures.worked();
        if (numberOf(row?.['passed']) < STEP) return;
        await nextTurn();
      }
    } catch (error) {
      failures.failed(error);
    }
  };

  const work = (): void => {
    if (closed || working !== undefined) return;
    since = 0;
    working = prune().finally(() => {
      working = undefined;
      // The writes in the meantime may be the last for a long time.
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
    start: (): void => plan(),
    written(bytes: number): void {
      since += bytes;
      if (isMuch()) work();
    },
    async close(): Promise<void> {
      closed = true;
      timer?.cancel();
      await working;
    },
  };
}
