/** A timer that was set on a {@link Clock}. */
export interface ClockTimer {
  /** Cancels the timer. May be called after it fired, and twice. */
  cancel(): void;
}

/**
 * The library's source of time. All waiting and all timestamps use it, so that tests can control time
 * (`kube-vitals/testing` has a fake one).
 */
export interface Clock {
  /** Wall clock, whole microseconds since the Unix epoch. May jump backwards. */
  now(): number;
  /** Monotonic clock in milliseconds, for measuring spans. Its zero is arbitrary. */
  monotonic(): number;
  /** Calls back once after `delayMs` milliseconds. The timer never keeps the process alive. */
  setTimer(callback: () => void, delayMs: number): ClockTimer;
}

/** The longest delay of a timer: Node changes a longer one to 1 ms. */
export const MAX_DELAY_MS = 2_147_483_647;

/** Timers that are longer are rare, and may have as many durations as there are callers. */
const LONG_MS = 60_000;

/** The system's clock. Timers are unref'd if the runtime supports it. */
export const systemClock: Clock = {
  now: () => Date.now() * 1000,
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer: Partial<NodeJS.Timeout> = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_DELAY_MS));
    timer.unref?.();
    return {
      cancel() {
        // Node frees what it has for a duration when a timer is cancelled, but of an unref'd one only when it is due.
        if (delayMs > LONG_MS) timer.ref?.();
        clearTimeout(timer as NodeJS.Timeout);
      },
    };
  },
};

interface Global {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly process?: { getBuiltinModule?(name: string): Global | undefined };
}

/**
 * Stored when loaded, because a replacement by a test would not call back; from `node:timers`, where Jest leaves it if
 * it replaces timers before this is loaded. Not every runtime has it.
 */
export const immediately: Global['setImmediate'] = /* @__PURE__ */ (() =>
  ((globalThis as Global).process?.getBuiltinModule?.('node:timers') ?? (globalThis as Global)).setImmediate)();

/** Calls back in the next turn of the event loop, after callbacks that are already queued. */
export function atNextTurn(callback: () => void): void {
  (immediately ?? setTimeout)(callback);
}

export function nextTurn(): Promise<void> {
  return new Promise(atNextTurn);
}

/** Milliseconds in thousandths: differences of clocks have digits that are noise, such as 2.2901460000000213. */
export function roundedMs(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}
