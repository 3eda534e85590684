import { systemClock, type Clock } from '../clock/clock.js';
import type { EventStore, StoreCall } from './contract/event-store.js';
import { untilAborted } from '../clock/abortable.js';

/** For {@link createStoreTime}. */
export interface StoreTimeOptions {
  readonly store: EventStore;
  /** The clock of this process. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** How far the clock of this process may be off, in milliseconds. Default: 5,000. */
  readonly toleranceMs?: number | undefined;
  /**
   * Without a clock of the store's: how long the wall clock has to go on from where it jumped to until it counts, in
   * milliseconds. Not less than events live. Default: 3,600,000 (1 hour).
   */
  readonly holdMs?: number | undefined;
}

/** What may be expired. */
export interface ExpiryMoment {
  /** Events that are due by then, microseconds since the epoch. Absent: none, for the time being. */
  readonly now?: number;
  /** What is wrong with the clock of this process. Absent: nothing. */
  readonly fault?: string;
}

/**
 * The time that stamps and expiry go by: that of the clock all processes on a store share (`store.now`), or else that of
 * this process.
 */
export interface StoreTime {
  /** Microseconds since the epoch. While {@link known} has an answer to wait for, only a guess. */
  now(): number;
  /** Undefined: the time is known. Otherwise to be waited for; fails with the error of the store. */
  known(call?: StoreCall): Promise<void> | undefined;
  /** What may be expired now; a promise where the store is asked, which fails with the error of the store. */
  expiryMoment(call?: StoreCall): ExpiryMoment | Promise<ExpiryMoment>;
}

export const DEFAULT_TOLERANCE_MS = 5_000;

/** The {@link StoreTime} of a store. It asks the store only when it is asked, every ten seconds at most while all is well. */
export function createStoreTime(options: StoreTimeOptions): StoreTime {
  const { store, clock = systemClock, toleranceMs = DEFAULT_TOLERANCE_MS, holdMs = 3_600_000 } = options;
  const { now } = store;
  return now === undefined ? ownTime(clock, toleranceMs, holdMs) : sharedTime(now, clock, toleranceMs);
}

/** How old a measurement may be. */
const VALID_MS = 10_000;
/** The same while the clocks seem to differ: a process that was suspended finds out soon. */
const DOUBTFUL_MS = 1_000;
/** What two clocks may drift apart: a measurement is as good as it was when made, and this much worse for its age. */
const DRIFT = 0.001;

/** The store's time at a moment of the monotonic clock. */
interface Sample {
  /** Milliseconds, monotonic. */
  readonly at: number;
  /** Microseconds since the epoch. */
  readonly micros: number;
  /** How far that may be wrong, in milliseconds: half of the round trip. */
  readonly within: number;
}

/** Goes on with the monotonic clock from what the store said last, whatever is done to the wall clock. */
function sharedTime(ask: NonNullable<EventStore['now']>, clock: Clock, toleranceMs: number): StoreTime {
  let sample: Sample | undefined;
  let measuredAt = -Infinity;
  let measuring: Promise<void> | undefined;

  const timeOf = ({ at, micros }: Sample): number => Math.floor(micros + (clock.monotonic() - at) * 1000);

  /** Milliseconds that the wall clock is certainly ahead of the store's, negative when it is behind; 0: neither. */
  const ahead = (known: Sample): number => {
    const difference = (clock.now() - timeOf(known)) / 1000;
    return Math.abs(difference) - known.within > toleranceMs ? difference : 0;
  };

  const measure = async (): Promise<void> => {
    const before = clock.monotonic();
    const micros = await ask();
    if (!Number.isFinite(micros)) throw new TypeError('the store has to give its time as a number');
    const after = clock.monotonic();
    const next: Sample = { at: (before + after) / 2, micros, within: (after - before) / 2 };
    measuredAt = after;
    const better =
      sample === undefined ||
      next.within <= sample.within + (after - sample.at) * DRIFT ||
      Math.abs(timeOf(next) - timeOf(sample)) / 1000 > next.within + sample.within;
    if (better) sample = next;
  };

  const measured = (call: StoreCall | undefined): Promise<void> => {
    measuring ??= measure().finally(() => {
      measuring = undefined;
    });
    return untilAborted(measuring, call?.signal);
  };

  const isOlderThan = (ms: number): boolean => clock.monotonic() - measuredAt > ms;

  return {
    now: () => (sample === undefined ? clock.now() : timeOf(sample)),
    known: (call) =>
      sample !== undefined && (ahead(sample) === 0 || !isOlderThan(DOUBTFUL_MS)) ? undefined : measured(call),
    async expiryMoment(call) {
      if (sample === undefined || isOlderThan(ahead(sample) === 0 ? VALID_MS : DOUBTFUL_MS)) await measured(call);
      if (sample === undefined) return {};
      const difference = ahead(sample);
      if (difference === 0) return { now: timeOf(sample) };
      const seconds = Math.round(Math.abs(difference) / 1000);
      return {
        fault: `the clock of this process is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the store's`,
      };
    },
  };
}

/**
 * The wall clock of this process, where there is no shared clock. When it jumps, nothing expires early and nothing late:
 * events go on to expire by the time that has passed on the monotonic clock. New ones get the later of the two times, so
 * that after `holdMs`, when the wall clock counts again, whatever there is has a time by it.
 */
function ownTime(clock: Clock, toleranceMs: number, holdMs: number): StoreTime {
  let wall = clock.now();
  let at = clock.monotonic();
  let jumped: { readonly at: number; readonly byMs: number } | undefined;

  /** The time that has passed since the wall clock could be believed. */
  const passed = (now: number): number => {
    const monotonic = clock.monotonic();
    // Cloudflare Workers stop the clock at 0 while modules are evaluated.
    if (wall === 0) {
      wall = now;
      at = monotonic;
    }
    const elapsed = Math.floor(wall + (monotonic - at) * 1000);
    const byMs = (now - elapsed) / 1000;
    if (Math.abs(byMs) > toleranceMs) {
      if (jumped === undefined || Math.abs(byMs - jumped.byMs) > toleranceMs) jumped = { at: monotonic, byMs };
      if (monotonic - jumped.at < holdMs) return elapsed;
    }
    jumped = undefined;
    wall = now;
    at = monotonic;
    return now;
  };

  return {
    now() {
      const now = clock.now();
      return Math.max(now, passed(now));
    },
    known: () => undefined,
    expiryMoment() {
      const moment = passed(clock.now());
      if (jumped === undefined) return { now: moment };
      const { byMs } = jumped;
      const seconds = Math.round(Math.abs(byMs) / 1000);
      return { now: moment, fault: `the clock of this process jumped ${seconds} s ${byMs > 0 ? 'ahead' : 'back'}` };
    },
  };
}
