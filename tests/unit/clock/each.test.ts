import { describe, expect, test } from 'vitest';
import { each } from '../../../src/clock/each.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('each', () => {
  test('calls for every item once, with one call at a time for each lane', async () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const done: number[] = [];
    const running = new Set<string>();
    let most = 0;
    await each(items, ['a', 'b', 'c'], async (item, lane) => {
      expect(running.has(lane)).toBe(false);
      running.add(lane);
      most = Math.max(most, running.size);
      await turn();
      running.delete(lane);
      done.push(item);
    });
    expect([done.sort((one, other) => one - other), most]).toEqual([items, 3]);
  });

  test('makes no call without items', async () => {
    await each([], [1, 2], () => Promise.reject(new Error('called')));
  });

  test.each(['throws', 'rejects'])(
    'begins no more calls after one that %s, and waits for those that run',
    async (how) => {
      const ended: number[] = [];
      const begun: number[] = [];
      const work = (item: number): Promise<void> => {
        begun.push(item);
        if (item === 1) {
          const error = new Error('failed');
          if (how === 'throws') throw error;
          return Promise.reject(error);
        }
        return turn().then(() => void ended.push(item));
      };
      await expect(each([0, 1, 2, 3], ['a', 'b'], work)).rejects.toThrow('failed');
      expect([begun, ended]).toEqual([[0, 1], [0]]);
    },
  );
});
