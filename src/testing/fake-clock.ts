import type { Clock, ClockTimer } from '../clock/clock.js';
import { checkOptions } from '../options/check-options.js';
import { mustBe } from '../options/rules.js';

/** Options of {@link fakeClock}. */
export interface FakeClockOptions {
  /** Where the wall clock starts, microseconds since the epoch. Default: 2024-01-01T00:00:00Z. */
  readonly now?: number | undefined;
}

/** A {@link Clock} that moves only when a test moves it. */
export interface FakeClock extends Clock {
  /** Moves wall clock and monotonic clock on by milliseconds, and fires what becomes due, in order. */
  advance(ms: number): void;
  /** Sets the wall clock alone, in microseconds, as an administrator would. */
  setNow(microseconds: number): void;
}

interface Pending {
  readonly due: number;
  readonly callback: () => void;
}

/** Makes a clock for tests. @throws TypeError that lists every fault of the options */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  checkOptions('fakeClock', options, { now: mustBe(Number.isFinite, 'microseconds since the epoch') });
  let wall = options.now ?? 1_704_067_200_000_000;
  let monotonic = 0;
  const timers = new Set<Pending>();

  /** Of timers that are due at the same time, the one that was set first. */
  const earliest = (until: number): Pending | undefined =>
    [...timers].filter(({ due }) => due <= until).sort((one, other) => one.due - other.due)[0];

  const moveTo = (moment: number): void => {
    wall += Math.round((moment - monotonic) * 1000);
    monotonic = moment;
  };

  return {
    now: () => wall,
    monotonic: () => monotonic,
    setTimer(callback, delayMs): ClockTimer {
      const timer = { due: monotonic + Math.max(0, delayMs), callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    advance(ms) {
      if (!(ms >= 0)) throw new TypeError('advance: ms must be a number of at least 0');
      const end = monotonic + ms;
      for (let timer = earliest(end); timer !== undefined; timer = earliest(end)) {
        timers.delete(timer);
        moveTo(Math.max(monotonic, timer.due));
        timer.callback();
      }
      moveTo(end);
    },
    setNow(microseconds) {
      wall = microseconds;
    },
  };
}
