import type { Clock } from '../../clock/clock.js';

/** How long a body or a streaming answer may take before its signal is subscribed to. */
const DELAY_MS = 100;

/** Something that a signal may end. */
export interface SignalSubscriber {
  /** Subscribes to the signal, which may create it. Does nothing when there is nothing left to end. */
  subscribe(): void;
}

/** See {@link createDeferredSignals}. */
export type DeferredSignals = ReturnType<typeof createDeferredSignals>;

/**
 * Subscribes bodies and streaming answers to their signals, but only those that take long.
 * A signal with its listeners costs a tenth of a create or of a list. Nearly every body has arrived in the next turn of the
 * event loop, and most lists are sent as fast. So subscribing waits, with one timer for all, which runs only while something
 * waits.
 */
export function createDeferredSignals(clock: Clock) {
  let waiting: SignalSubscriber[] = [];

  const subscribeAll = (): void => {
    const due = waiting;
    waiting = [];
    for (const subscriber of due) subscriber.subscribe();
  };
  return {
    add(subscriber: SignalSubscriber): void {
      if (waiting.push(subscriber) === 1) clock.setTimer(subscribeAll, DELAY_MS);
    },
  };
}
