import type { EventKey } from '../../store/contract/event-store.js';
import { isStoreError } from '../../store/contract/errors.js';

export type EventMutex = ReturnType<typeof createEventMutex>;

/**
 * Lets one request of this process at a time read and replace an event in a store that writes asynchronously. Many that
 * change the same event would otherwise all read the same state, and all but one of them repeat their change.
 */
export function createEventMutex() {
  const queues = new Map<string, (() => void)[]>();
  return async <T>({ namespace, name }: EventKey, work: () => Promise<T>): Promise<T> => {
    const id = `${namespace}/${name}`;
    const others = queues.get(id);
    const queue = others ?? [];
    if (others === undefined) queues.set(id, queue);
    else await new Promise<void>((enter) => others.push(enter));
    try {
      return await work();
    } catch (error) {
      // A store that is away fails each call after a while: the others need not wait for one another.
      if (isStoreError(error)) for (const enter of queue.splice(0)) enter();
      throw error;
    } finally {
      const enter = queue.shift();
      if (enter !== undefined) enter();
      else if (queues.get(id) === queue) queues.delete(id);
    }
  };
}
