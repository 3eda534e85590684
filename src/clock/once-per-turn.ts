import { nextTurn } from './clock.js';

/**
 * Shares work between all who ask for the same in one turn of the event loop. It begins in the next turn, so nobody gets
 * a result that is older than the call.
 */
export function oncePerTurn<K, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const waiting = new Map<K, Promise<T>>();
  return (key) => {
    let result = waiting.get(key);
    if (result === undefined) {
      result = nextTurn().then(() => {
        waiting.delete(key);
        return work(key);
      });
      waiting.set(key, result);
    }
    return result;
  };
}
