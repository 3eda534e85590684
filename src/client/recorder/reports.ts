import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { Event } from '../../model/event.js';
import { createNotifier, type Observe } from '../../observe/observation.js';
import { createWarnings } from '../../observe/warnings.js';
import type { DropReason, RecorderStats } from './contract.js';

/** How often the same is told, in milliseconds. */
const PERIOD_MS = 1_000;

type Dropped = { -readonly [Reason in DropReason]: number };

/** Counts what becomes of events, and tells it. */
export interface Reports {
  readonly dropped: Readonly<Dropped>;
  /** Told at once, and further ones of the same reason once a second. */
  drop(reason: DropReason, count: number, error: unknown, event?: Event): void;
  /** Something was recorded or written. Told once a second. */
  changed(): void;
  /** Tells what is left, and gives the timer back. */
  close(): void;
}

interface Untold {
  count: number;
  error: unknown;
  event: Event | undefined;
}

/** What {@link createReports} needs. */
export interface ReportsOptions {
  /** The name of the controller. */
  readonly recorder: string;
  readonly observe: Observe | undefined;
  readonly clock: Clock;
  readonly stats: () => RecorderStats;
}

/** Makes {@link Reports}. Without a hook the first drop of each reason is a warning of the process. */
export function createReports({ recorder, observe, clock, stats }: ReportsOptions): Reports {
  const dropped: Dropped = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
  const notify = createNotifier(observe);
  const warn = createWarnings();
  const untold = new Map<DropReason, Untold>();
  let timer: ClockTimer | undefined;
  let told = { recorded: 0, written: 0 };

  const tellDrop = (reason: DropReason, { count, error, event }: Untold): void => {
    if (observe === undefined) warn({ type: 'error', error, where: `the recorder ${recorder}: ${reason}` });
    else notify({ type: 'recorder.dropped', recorder, reason, count, error, ...(event && { event }) });
  };
  const tell = (): void => {
    for (const [reason, drop] of untold) if (drop.count > 0) tellDrop(reason, drop);
    untold.clear();
    if (observe === undefined) return;
    const { recorded, written, pending, queued } = stats();
    const news = { recorded: recorded - told.recorded, written: written - told.written };
    told = { recorded, written };
    notify({ type: 'recorder.activity', recorder, ...news, pending, queued });
  };
  const later = (): void => {
    timer ??= clock.setTimer(() => {
      timer = undefined;
      tell();
    }, PERIOD_MS);
  };

  return {
    dropped,
    drop(reason, count, error, event) {
      dropped[reason] += count;
      const waiting = untold.get(reason);
      if (waiting === undefined) {
        tellDrop(reason, { count, error, event });
        untold.set(reason, { count: 0, error, event });
      } else untold.set(reason, { count: waiting.count + count, error, event });
      later();
    },
    changed() {
      if (observe !== undefined) later();
    },
    close() {
      timer?.cancel();
      timer = undefined;
      tell();
    },
  };
}
