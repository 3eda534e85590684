import { describe, expect, it } from 'vitest';
import { Queue, type Waiter } from '../../../src/limits/queue.js';
import { collectGarbage } from '../../collect-garbage.js';

const waiter = (requester: Waiter['requester'] = { aborted: false }): Waiter => ({
  requester,
  since: 0,
  enter: () => undefined,
  leave: () => undefined,
});

describe('a queue', () => {
  it('keeps nothing of a request that was served, although others wait behind it', async () => {
    const queue = new Queue();
    const served = ((): WeakRef<object> => {
      const requester = { aborted: false };
      queue.push(waiter(requester));
      queue.push(waiter());
      queue.shift();
      return new WeakRef(requester);
    })();
    // A WeakRef holds on to its target until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(served.deref()).toBeUndefined();
    expect(queue.length).toBe(1);
  });

  it('keeps its order and its length over many requests', () => {
    const queue = new Queue();
    const all = Array.from({ length: 1_000 }, () => waiter());
    for (const one of all) queue.push(one);
    for (const [index, one] of all.entries()) {
      expect(queue.length).toBe(1_000 - index);
      expect(queue.shift() === one).toBe(true);
    }
    expect([queue.length, queue.shift()]).toEqual([0, undefined]);
    queue.push(all[0] as Waiter);
    expect([queue.length, queue.shift() === all[0], queue.length]).toEqual([1, true, 0]);
  });
});
