import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { Event } from '../../model/event.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier, type Observation, type Observe } from '../../observe/observation.js';
import type { DropReason, RecorderStats } from './contract.js';

/** How often the same is told, in milliseconds. */
const PERIOD_MS = 1_000;

/** Tells what happens to a recorder. Loaded when there is something to tell, because the texts of errors are a tenth of it all. */
export type Telling = ReturnType<typeof createTelling>;

type Drop = Extract<Observation, { readonly type: 'recorder.dropped' }>;

/** Makes a {@link Telling}. Without a hook, the first drop of each reason is a warning of the process. */
export function createTelling(
  recorder: string,
  observe: Observe | undefined,
  clock: Clock,
  stats: () => RecorderStats,
) {
  const notify = createNotifier(observe);
  const place = `the recorder ${recorder}`;
  const untold = new Map<DropReason, Drop>();
  let timer: ClockTimer | undefined;
  let told = { recorded: 0, written: 0 };

  const tellDrop = (drop: Drop): void => {
    const { error, reason } = drop;
    notify(observe === undefined ? { type: 'error', error, where: `${place}: ${reason}` } : drop);
  };
  const tell = (): void => {
    timer = undefined;
    for (const drop of untold.values()) if (drop.count > 0) tellDrop(drop);
    untold.clear();
    const { recorded, written, pending, queued } = stats();
    const news = { recorded: recorded - told.recorded, written: written - told.written };
    told = { recorded, written };
    notify({ type: 'recorder.activity', recorder, ...news, pending, queued });
  };
  const changed = (): void => {
    timer ??= clock.setTimer(tell, PERIOD_MS);
  };

  const series = createFailureSeries(place, notify, clock);
  return {
    /** A write has failed, and is repeated. */
    failed: (error: unknown): void => series.failed(error),
    /** Writes work again. */
    worked: (): void => series.worked(),
    /** Something was recorded or written. Told with the figures of a second. */
    changed: (): void => changed(),
    /** Events were dropped. The first of a reason is told at once, further ones together after a second. */
    drop(reason: DropReason, count: number, error: unknown, event: Event | undefined): void {
      const drop: Drop = { type: 'recorder.dropped', recorder, reason, count, error, ...(event && { event }) };
      const waiting = untold.get(reason);
      if (waiting === undefined) tellDrop(drop);
      untold.set(reason, { ...drop, count: waiting === undefined ? 0 : waiting.count + count });
      changed();
    },
    /** Tells the rest, and stops the timer. */
    close(): void {
      timer?.cancel();
      tell();
    },
  };
}
