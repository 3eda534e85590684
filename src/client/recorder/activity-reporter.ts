import { nextTurn, type Clock, type ClockTimer } from '../../clock/clock.js';
import type { Event } from '../../model/event.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier, type Observation, type Observe } from '../../observe/observation.js';
import type { DropReason, RecorderStats } from './contract.js';

/** The time between two reports of the same kind, in milliseconds. */
const PERIOD_MS = 1_000;

/** Reports what happens to a recorder. Loaded on first use, because its texts are a tenth of the recorder's code. */
export type ActivityReporter = ReturnType<typeof createActivityReporter>;

type Drop = Extract<Observation, { readonly type: 'recorder.dropped' }>;

/** Makes a {@link ActivityReporter}. Without a hook, the first drop of each reason is a warning of the process. */
export function createActivityReporter(
  recorder: string,
  observe: Observe | undefined,
  clock: Clock,
  stats: () => RecorderStats,
) {
  const notify = createNotifier(observe);
  const where = `the recorder ${recorder}`;
  const pendingDrops = new Map<DropReason, Drop>();
  let timer: ClockTimer | undefined;
  let reported = { recorded: 0, written: 0 };

  const reportDrop = (drop: Drop): void => {
    const { error, reason } = drop;
    notify(observe === undefined ? { type: 'error', error, where: `${where}: ${reason}` } : drop);
  };
  const report = (): void => {
    timer = undefined;
    const drops = [...pendingDrops.values()];
    // Before they are reported: the hook may record an event, which may be dropped as well.
    pendingDrops.clear();
    for (const drop of drops) if (drop.count > 0) reportDrop(drop);
    const { recorded, written, pending, queued } = stats();
    const counts = { recorded: recorded - reported.recorded, written: written - reported.written };
    reported = { recorded, written };
    notify({ type: 'recorder.activity', recorder, ...counts, pending, queued });
  };
  const changed = (): void => {
    timer ??= clock.setTimer(report, PERIOD_MS);
  };

  const failures = createFailureSeries(where, notify, clock);
  // What made it necessary happened before, and may be all that happens for a long time.
  changed();
  return {
    /** A write has failed, and is repeated. */
    failed: (error: unknown): void => failures.failed(error),
    worked: (): void => failures.worked(),
    /** Something was recorded or written. Reported once a second, with the counts. */
    changed: (): void => changed(),
    /** Events were dropped. The first of a reason is reported at once, further ones together after a second. */
    drop(reason: DropReason, count: number, error: unknown, event: Event | undefined): void {
      const drop: Drop = { type: 'recorder.dropped', recorder, reason, count, error, ...(event && { event }) };
      const waiting = pendingDrops.get(reason);
      pendingDrops.set(reason, { ...drop, count: waiting === undefined ? 0 : waiting.count + count });
      // After it is noted, as well.
      if (waiting === undefined) reportDrop(drop);
      changed();
    },
    async close(): Promise<void> {
      // Requests that were ended with the recorder leave their lanes in this turn.
      await nextTurn();
      timer?.cancel();
      report();
    },
  };
}
