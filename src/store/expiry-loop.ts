import { type Clock, type ClockTimer, nextTurn } from '../clock/clock.js';
import { createFailureSeries } from '../observe/failure-series.js';
import { createNotifier, type Observe } from '../observe/observation.js';
import type { EventStore } from './contract/event-store.js';
import { hasCode } from './contract/errors.js';
import type { StoreTime } from './store-time.js';

/** The maximum number of events that one call removes. */
const SLICE = 500;

export interface ExpiryLoopOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** The time by which events expire. */
  readonly time: StoreTime;
  /** The pause between two runs of the loop, in milliseconds. Default: 1,000. */
  readonly intervalMs?: number | undefined;
  /** Receives errors of the store and faults of the clock, once each, and `recovered`. Errors do not stop the loop. */
  readonly observe?: Observe | undefined;
}

/**
 * Calls `store.expire` every `intervalMs` until nothing is due, with a turn of the event loop between two calls.
 * Several replicas may do so. While the clock of this process differs from the store's, it expires nothing.
 */
export function createExpiryLoop(options: ExpiryLoopOptions) {
  const { store, clock, time, intervalMs = 1000 } = options;
  const notify = createNotifier(options.observe);
  const where = `expiry of ${store.name}`;
  const failures = createFailureSeries(where, notify, clock);

  let timer: ClockTimer | undefined;
  let abort: AbortController | undefined;
  let working: Promise<void> = Promise.resolve();
  let isFaulty = false;
  let refused = false;

  const expireAll = async (signal: AbortSignal): Promise<void> => {
    const given = time.expiryMoment({ signal });
    const { now, fault } = 'then' in given ? await given : given;
    if (fault !== undefined && !isFaulty) notify({ type: 'error', error: new Error(fault), where });
    isFaulty = fault !== undefined;
    if (now === undefined) return;
    while (!signal.aborted && (await store.expire({ now, limit: SLICE, signal })) > 0) await nextTurn();
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await expireAll(signal);
      failures.worked();
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, 'closed')) {
        abort = undefined;
        return;
      }
      failures.failed(error);
    }
    plan(signal);
  };

  const plan = (signal: AbortSignal): void => {
    if (signal.aborted) return;
    timer = clock.setTimer(() => {
      working = run(signal);
    }, intervalMs);
  };

  const start = (): void => {
    if (abort !== undefined) return;
    const controller = new AbortController();
    try {
      plan(controller.signal);
      abort = controller;
      refused = false;
    } catch {
      refused = true;
    }
  };

  return {
    start: (): void => start(),
    /** Starts the loop if the timer of `start()` was refused, as in Cloudflare Workers while modules are evaluated. */
    retry(): void {
      if (refused) start();
    },
    /** Stops the loop, and resolves when the current call has ended. `start()` may be called again. */
    async stop(): Promise<void> {
      refused = false;
      abort?.abort();
      abort = undefined;
      timer?.cancel();
      await working;
    },
  };
}
