import { onAbort } from '../../clock/abortable.js';
import { isStoreError, type StoreErrorCode } from '../../store/contract/errors.js';
import type { EventKey } from '../../store/contract/event-store.js';

export type EventMutex = ReturnType<typeof createEventMutex>;

/** Errors of a store that is away: each call fails after a while, so that others need not wait for one another. */
const AWAY: readonly StoreErrorCode[] = ['unavailable', 'unknown-outcome'];

/**
 * Lets one request of this process at a time read and replace an event in a store that writes asynchronously. Many that
 * change the same event would otherwise all read the same state, and all but one of them repeat their change.
 */
export function createEventMutex() {
  const queues = new Map<string, (() => void)[]>();
  /** Runs the work when it is its turn. The next one begins when it has ended, or when its request has. */
  return async <T>({ namespace, name }: EventKey, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const id = `${namespace}/${name}`;
    const others = queues.get(id);
    const queue = others ?? [];
    if (others === undefined) queues.set(id, queue);
    else await new Promise<void>((enter) => others.push(enter));
    let holds = true;
    const leave = (): void => {
      if (!holds) return;
      holds = false;
      const enter = queue.shift();
      if (enter !== undefined) enter();
      else if (queues.get(id) === queue) queues.delete(id);
    };
    const forget = onAbort(signal, leave);
    try {
      return await work();
    } catch (error) {
      if (isStoreError(error) && AWAY.includes(error.code)) for (const enter of queue.splice(0)) enter();
      throw error;
    } finally {
      forget();
      leave();
    }
  };
}
