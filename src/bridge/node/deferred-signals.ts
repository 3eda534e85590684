import type { Clock } from '../../clock/clock.js';

const DELAY_MS = 100;

interface SignalSubscriber {
  /** Subscribes to the signal, which may create it. Does nothing if the work has already ended. */
  subscribe(): void;
}

export type DeferredSignals = ReturnType<typeof createDeferredSignals>;

/**
 * Delays the subscription of bodies and streams to their signals until they are slow: nearly all end in the next turn,
 * and a signal with its listeners takes a fifth of the CPU of a create. `onError` gets what a signal's getter threw.
 */
export function createDeferredSignals(clock: Clock, onError: (error: unknown) => void) {
  let waiting: SignalSubscriber[] = [];

  const subscribeAll = (): void => {
    const due = waiting;
    waiting = [];
    for (const subscriber of due) {
      try {
        subscriber.subscribe();
      } catch (error) {
        // From a getter of the handler's. The timer has no caller that would catch it.
        onError(error);
      }
    }
  };
  return {
    add(subscriber: SignalSubscriber): void {
      if (waiting.push(subscriber) === 1) clock.setTimer(subscribeAll, DELAY_MS);
    },
  };
}
