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
});
