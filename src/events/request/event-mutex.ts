import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { hasCode } from '../../store/contract/errors.js';
import type { EventKey } from '../../store/contract/event-store.js';

export type EventMutex = ReturnType<typeof createEventMutex>;

/** After this time the store is slow or away: the deadlines of others must not begin only when the work has ended. */
const SLOW_MS = 1000;

/**
 * Lets one request of this process at a time read and replace an event in a store that writes asynchronously. Many that
 * change the same event would otherwise all read the same state, and all but one of them repeat their change. While the
 * store is away they do not wait for one another.
 */
export function createEventMutex(clock: Clock) {
  const queues = new Map<string, (() => void)[]>();
  /** Runs the work when it is its turn. The next one begins when it has ended, or when its request has. */
  return async <T>({ namespace, name }: EventKey, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const id = `${namespace}/${name}`;
    const others = queues.get(id);
    const queue = others ?? [];
    if (others === undefined) queues.set(id, queue);
    else await new Promise<void>((enter) => others.push(enter));
    const enter = (count: number): void => {
      for (const next of queue.splice(0, count)) next();
    };
    let turns = 1;
    const leave = (): void => {
      if (turns > queue.length && queues.get(id) === queue) queues.delete(id);
      enter(turns);
      turns = 0;
    };
    const enterAll = (): void => enter(Infinity);
    const timer = clock.setTimer(enterAll, SLOW_MS);
    const forget = onAbort(signal, leave);
    try {
      return await work();
    } catch (error) {
      if (hasCode(error, 'unavailable', 'unknown-outcome')) enterAll();
      throw error;
    } finally {
      timer.cancel();
      forget();
      leave();
    }
  };
}
