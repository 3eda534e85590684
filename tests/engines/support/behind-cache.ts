import { cachedStore } from '../../../src/store/cached/cached-store.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import type { StoreContext } from '../../../src/testing/fixture.js';
import { until } from './waiting.js';

/**
 * The suite moves its clock by minutes at once. The feed that a cache keeps open would begin calls in the middle of
 * that, which would time out before they are sent: so the store's timers fire only once the clock has reached its new
 * time.
 */
function settling({ clock, ...context }: StoreContext): StoreContext {
  const setTimer: typeof clock.setTimer = (callback, delayMs) => {
    let isCancelled = false;
    const timer = clock.setTimer(() => setImmediate(() => isCancelled || callback()), delayMs);
    return {
      cancel() {
        isCancelled = true;
        timer.cancel();
      },
    };
  };
  return { ...context, clock: { ...clock, setTimer } };
}

/** Opens a store with a watch cache in front of it, which is filled when a test gets it. */
export function behindCache(open: (context: StoreContext) => EventStore) {
  return async (context: StoreContext): Promise<EventStore> => {
    const { clock, historyMs } = context;
    const store = cachedStore(open(settling(context)), { clock, historyMs, observe: () => undefined });
    await until('the watch cache is filled', () => store.status().state === 'ready', 10_000, 5);
    return store;
  };
}
