import { systemClock, type Clock } from '../clock/clock.js';
import type { EventStore, StoreCall } from './contract/event-store.js';
import { storeError } from './contract/errors.js';
import { untilAborted } from '../clock/abortable.js';

export interface StoreTimeOptions {
  readonly store: EventStore;
  /** The clock of this process. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** How wrong the clock of this process may be, in milliseconds. Default: 5,000. */
  readonly toleranceMs?: number | undefined;
  /**
   * For a store without a clock: how long the wall clock has to run steadily after a jump until it is used again, in
   * milliseconds. Must not be less than the lifetime of events. Default: 3,600,000 (1 hour).
   */
  readonly holdMs?: number | undefined;
}

export interface ExpiryMoment {
  /** Events that are due at this time may be expired; microseconds since the epoch. Absent: none for now. */
  readonly now?: number;
  /** What is wrong with the clock of this process. Absent: no fault was found. */
  readonly fault?: string;
}

/** The time for timestamps and expiry: of the clock that all processes share (`store.now`), or else of this process. */
export interface StoreTime {
  /** Returns microseconds since the epoch; only an estimate while {@link known} returns a promise. */
  now(): number;
  /** `undefined` when the time is known, else a promise to wait for, which fails with the error of the store. */
  known(call?: StoreCall): Promise<void> | undefined;
  /** What may be expired now; a promise where the store has a clock, which fails with the error of the store. */
  expiryMoment(call?: StoreCall): ExpiryMoment | Promise<ExpiryMoment>;
}

/** Calls the store only when it is used, and at most every ten seconds while the clocks agree. */
export function createStoreTime(options: StoreTimeOptions): StoreTime {
  const { store, clock = systemClock, toleranceMs = 5_000, holdMs = 3_600_000 } = options;
  const ask = store.now?.bind(store);
  return ask === undefined ? ownTime(clock, toleranceMs, holdMs) : sharedTime(ask, clock, toleranceMs);
}

/** How old a measurement may be, and how long it may take, in milliseconds. */
const VALID_MS = 10_000;
/** The same while the clocks seem to differ, so that a process that was suspended recovers soon. */
const DOUBTFUL_MS = 1_000;
/** How much two clocks may drift apart: the error of a measurement grows by this fraction of its age. */
const DRIFT = 0.001;

interface Sample {
  /** Milliseconds, monotonic. */
  readonly at: number;
  /** Microseconds since the epoch. */
  readonly micros: number;
  /** How wrong `micros` may be, in milliseconds: half of the round trip. */
  readonly within: number;
}

/** Continues the store's last time with the monotonic clock, independently of changes to the wall clock. */
function sharedTime(ask: NonNullable<EventStore['now']>, clock: Clock, toleranceMs: number): StoreTime {
  let sample: Sample | undefined;
  let measuredAt = -Infinity;
  let measuring: Promise<void> | undefined;

  const timeOf = ({ at, micros }: Sample): number => Math.floor(micros + (clock.monotonic() - at) * 1000);

  /** Milliseconds by which the wall clock is ahead of the store's, or (negative) behind; 0: within the tolerance. */
  const ahead = (known: Sample): number => {
    const difference = (clock.now() - timeOf(known)) / 1000;
    return Math.abs(difference) - known.within > toleranceMs ? difference : 0;
  };

  const measure = async (): Promise<void> => {
    const before = clock.monotonic();
    const micros = await ask();
    if (!Number.isFinite(micros)) throw new TypeError('the store must return its time as a finite number');
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
    measuring ??= new Promise<void>((resolve, reject) => {
      const late = (): void =>
        reject(storeError('unavailable', `the store has not returned its time within ${VALID_MS} ms`));
      const timer = clock.setTimer(late, VALID_MS);
      measure()
        .finally(() => timer.cancel())
        .then(resolve, reject);
    }).finally(() => {
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
      const known = sample as Sample;
      const difference = ahead(known);
      if (difference === 0) return { now: timeOf(known) };
      const seconds = Math.round(Math.abs(difference) / 1000);
      return {
        fault: `the clock of this process is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the store's`,
      };
    },
  };
}

/**
 * Uses the wall clock of this process. When it jumps, events expire by the monotonic clock for `holdMs`, none early and
 * none late; new ones get the later of the two times, so that none expires early afterwards.
 */
function ownTime(clock: Clock, toleranceMs: number, holdMs: number): StoreTime {
  let wall = clock.now();
  let at = clock.monotonic();
  let jumped: { readonly at: number; readonly byMs: number } | undefined;

  /** `now`, or after a jump the last valid time plus the time since then. */
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
