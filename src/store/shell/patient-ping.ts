import { untilAborted } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import type { EventStore } from '../contract/event-store.js';

/** The part of the caller's time after which `ping` fails with what is known. */
const PATIENCE = 0.9;

/** Returns the store with a `ping` that fails with the last failure, if there is one, shortly before `withinMs`. */
export function withPatientPing(store: EventStore, clock: Clock, lastFailure: () => Error | undefined): EventStore {
  return Object.freeze<EventStore>({
    ...store,
    async ping(call = {}) {
      const { withinMs } = call;
      if (withinMs === undefined) return store.ping(call);
      const late = new AbortController();
      const giveUp = (): void => {
        const failure = lastFailure();
        if (failure !== undefined) late.abort(failure);
      };
      const timer = clock.setTimer(giveUp, withinMs * PATIENCE);
      return untilAborted(store.ping(call), late.signal).finally(() => timer.cancel());
    },
  });
}
