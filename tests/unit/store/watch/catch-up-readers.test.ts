import { describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Change, ChangesOptions, EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { createCatchUp } from '../../../../src/store/watch/catch-up.js';
import { Watcher } from '../../../../src/store/watch/watcher.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const RING = 1_000_000;

/** A feed that a reader has opened, in the hands of the test. */
interface Feed extends ChangesOptions {
  /** Answers the reader, which must be waiting. */
  give(...revisions: Revision[]): void;
  end(): void;
  fail(error: unknown): void;
  returned(): number;
}

interface Follower {
  readonly watcher: Watcher;
  readonly seen: Revision[];
  readonly failures: unknown[];
  asked(): number;
}

function change(revision: Revision): Change {
  const key = { namespace: 'default', name: `event-${revision}` };
  const record = { key, revision, event: sampleEvent(key), expiresAt: 0 };
  return { type: 'put', key, revision, record };
}

function createBench(readers = 4) {
  const clock = fakeClock();
  const feeds: Feed[] = [];
  const reported: unknown[] = [];
  let closed = 0;
  const changes = (options: ChangesOptions): AsyncIterable<readonly Change[]> => {
    let answer: PromiseWithResolvers | undefined;
    let returned = 0;
    const settle = (how: (waiting: PromiseWithResolvers) => void): void => {
      if (answer === undefined) throw new Error('nobody waits for the feed');
      how(answer);
      answer = undefined;
    };
    feeds.push({
      ...options,
      give: (...revisions) => settle(({ resolve }) => resolve({ done: false, value: revisions.map(change) })),
      end: () => settle(({ resolve }) => resolve({ done: true, value: undefined })),
      fail: (error) => settle(({ reject }) => reject(error)),
      returned: () => returned,
    });
    const iterator: AsyncIterator<readonly Change[]> = {
      next: () => new Promise((resolve, reject) => (answer = { resolve, reject })),
      return: () => {
        returned++;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  };
  const store: EventStore = { ...memoryStore(), changes };
  const catchUp = createCatchUp({
    store,
    clock,
    readers,
    close: () => void closed++,
    report: (error) => void reported.push(error),
  });
  /** A watcher whose consumer takes everything as soon as it is there, unless it is slow. */
  const follow = (after: Revision, slow = false): Follower => {
    const seen: Revision[] = [];
    const failures: unknown[] = [];
    let asked = 0;
    const take = (): void => {
      asked++;
      try {
        for (let batch = watcher.poll(); typeof batch === 'object'; batch = watcher.poll()) {
          seen.push(...batch.entries.map((entry) => entry.change.revision));
        }
      } catch (error) {
        failures.push(error);
      }
    };
    const watcher = new Watcher(
      {
        read: (position) => (position < RING ? 'behind' : undefined),
        head: () => RING,
        lag: (one) => catchUp.join(one),
        leave: (one) => catchUp.leave(one),
      },
      { after, waker: { wake: () => (slow ? undefined : take()) } },
    );
    take();
    return { watcher, seen, failures, asked: () => asked };
  };
  return { clock, feeds, reported, catchUp, follow, closed: () => closed };
}

interface PromiseWithResolvers {
  resolve(step: IteratorResult<readonly Change[]>): void;
  reject(error: unknown): void;
}

async function turns(): Promise<void> {
  for (let i = 0; i < 8; i++) await nextTurn();
}

const places = (feeds: readonly Feed[]): Revision[] => feeds.map(({ after }) => after);
const isOpen = ({ signal }: Feed): boolean => signal?.aborted !== true;

describe('a catch-up reader', () => {
  test('serves a watcher less than 1,000 revisions ahead of it; one further ahead gets its own', async () => {
    const { feeds, follow } = createBench();
    const [first, near, far] = [follow(100), follow(1_099), follow(1_100)];
    await turns();
    expect(places(feeds)).toEqual([100, 1_100]);
    feeds[0]?.give(1_050, 1_099, 1_100, 1_200);
    await turns();
    expect([first.seen, near.seen, far.seen]).toEqual([[1_050, 1_099, 1_100, 1_200], [1_100, 1_200], [1_200]]);
  });

  test('gives a watcher that joins ahead of it only what comes after its place', async () => {
    const { feeds, follow } = createBench();
    const first = follow(100);
    await turns();
    const later = follow(150);
    await turns();
    expect(places(feeds)).toEqual([100]);
    feeds[0]?.give(140, 150, 160);
    await turns();
    expect([first.seen, later.seen]).toEqual([[140, 150, 160], [160]]);
  });

  test('lets a watcher at the last change that was read wait for the next', async () => {
    const { feeds, follow } = createBench();
    const first = follow(100);
    const last = follow(160);
    await turns();
    feeds[0]?.give(140, 160);
    await turns();
    expect([first.seen, last.seen]).toEqual([[140, 160], []]);
    feeds[0]?.give(170);
    await turns();
    expect([first.seen, last.seen]).toEqual([[140, 160, 170], [170]]);
    expect(feeds).toHaveLength(1);
  });

  test('is opened for a watcher that no reader will reach once another one is done, where all are in use', async () => {
    const { feeds, follow } = createBench(1);
    const first = follow(5_000);
    const second = follow(100);
    await turns();
    expect(places(feeds)).toEqual([5_000]);
    first.watcher.end();
    expect(isOpen(feeds[0] as Feed)).toBe(false);
    feeds[0]?.end();
    await turns();
    expect(places(feeds)).toEqual([5_000, 100]);
    feeds[1]?.give(101);
    await turns();
    expect([first.seen, second.seen]).toEqual([[], [101]]);
  });

  test('continues while one of its watchers is left, and its feed is returned when none is', async () => {
    const { feeds, follow } = createBench();
    const [first, second] = [follow(100), follow(200)];
    await turns();
    first.watcher.end();
    expect(feeds.map(isOpen)).toEqual([true]);
    second.watcher.end();
    expect(feeds.map(isOpen)).toEqual([false]);
    feeds[0]?.give(150, 250);
    await turns();
    expect([first.seen, second.seen, feeds[0]?.returned()]).toEqual([[], [], 1]);
  });

  test('looks at few of the others when one of many watchers ends', async () => {
    const { feeds, follow } = createBench();
    const all = Array.from({ length: 500 }, () => follow(100).watcher);
    await turns();
    // Also counts the elements that a copy of a set reads.
    const next = vi.spyOn(Object.getPrototypeOf(new Set().values()) as Iterator<unknown>, 'next');
    for (const watcher of all) watcher.end();
    const steps = next.mock.calls.length;
    next.mockRestore();
    expect(feeds.map(isOpen)).toEqual([false]);
    expect(steps).toBeLessThan(2000);
  });

  test('ends when its only watcher has everything and does not ask again', async () => {
    const { feeds, follow } = createBench();
    const slow = follow(100, true);
    await turns();
    feeds[0]?.give(150);
    await turns();
    expect(feeds.map(isOpen)).toEqual([false]);
    expect(feeds[0]?.returned()).toBe(1);
    const { watcher } = slow;
    expect(watcher.poll()).toMatchObject({ revision: 150 });
    expect(watcher.poll()).toBeUndefined();
    await turns();
    expect(places(feeds)).toEqual([100, 150]);
  });
});

describe('the progress of a catch-up feed', () => {
  test('takes a reader past a stretch without changes, where it also serves the watchers that wait there', async () => {
    const { feeds, follow } = createBench(1);
    const [first, ahead] = [follow(100), follow(10_200)];
    await turns();
    feeds[0]?.onProgress?.(10_000);
    await turns();
    expect([first.watcher.position, ahead.watcher.position]).toEqual([10_000, 10_200]);
    feeds[0]?.give(10_150, 10_300);
    await turns();
    expect([first.seen, ahead.seen]).toEqual([[10_150, 10_300], [10_300]]);
    expect(places(feeds)).toEqual([100]);
  });

  test('ends a reader when it takes its watchers to the ring', async () => {
    const { feeds, follow } = createBench();
    const first = follow(100);
    await turns();
    feeds[0]?.onProgress?.(RING);
    expect(first.watcher.position).toBe(RING);
    expect(feeds.map(isOpen)).toEqual([false]);
  });

  test('takes no watcher past a change when it lies behind the reader', async () => {
    const { feeds, follow } = createBench(1);
    const first = follow(100);
    await turns();
    feeds[0]?.give(150);
    await turns();
    const behind = follow(120);
    await turns();
    feeds[0]?.onProgress?.(110);
    feeds[0]?.give(200);
    await turns();
    expect([first.seen, behind.seen]).toEqual([[150, 200], []]);
    first.watcher.end();
    feeds[0]?.end();
    await turns();
    feeds[1]?.give(150, 200);
    await turns();
    expect(behind.seen).toEqual([150, 200]);
  });

  test('moves no watcher that waits ahead of it', async () => {
    const { feeds, follow } = createBench();
    const [first, ahead, at] = [follow(100), follow(700), follow(500)];
    await turns();
    const asked = [ahead.asked(), at.asked()];
    feeds[0]?.onProgress?.(500);
    expect([first.watcher.position, ahead.watcher.position, at.watcher.position]).toEqual([500, 700, 500]);
    expect([ahead.asked(), at.asked()]).toEqual(asked);
  });

  test('moves no watcher once its reader was released', async () => {
    const { feeds, follow } = createBench();
    const first = follow(100);
    await turns();
    first.watcher.end();
    const second = follow(100);
    await turns();
    // The feed has not ended yet, although its reader was released.
    feeds[0]?.give(150);
    feeds[0]?.onProgress?.(200);
    await turns();
    expect(places(feeds)).toEqual([100, 100]);
    feeds[1]?.give(150, 250);
    await turns();
    expect([first.seen, second.seen]).toEqual([[], [150, 250]]);
  });
});

describe('a catch-up feed that ends', () => {
  test('with a failure after its reader was released is not reported, and delays no later watcher', async () => {
    const { feeds, follow, reported } = createBench();
    const first = follow(100);
    await turns();
    first.watcher.end();
    feeds[0]?.fail(storeError('unavailable', 'the engine is away'));
    await turns();
    expect(reported).toEqual([]);
    follow(100);
    await turns();
    expect(places(feeds)).toEqual([100, 100]);
  });

  test('by itself is opened again after a pause, and nothing is reported', async () => {
    const { feeds, follow, reported, clock } = createBench();
    const first = follow(100);
    await turns();
    feeds[0]?.end();
    await turns();
    expect(places(feeds)).toEqual([100]);
    clock.advance(100);
    await turns();
    expect(places(feeds)).toEqual([100, 100]);
    feeds[1]?.give(101);
    await turns();
    expect([first.seen, reported]).toEqual([[101], []]);
  });

  test('is opened again after pauses that grow until a feed has delivered changes', async () => {
    const { feeds, follow, clock } = createBench();
    follow(100);
    for (const longest of [100, 200, 400]) {
      await turns();
      feeds.at(-1)?.fail(storeError('unavailable', 'the engine is away'));
      await turns();
      const before = feeds.length;
      clock.advance(longest / 2 - 1);
      await turns();
      expect(feeds).toHaveLength(before);
      clock.advance(longest / 2 + 1);
      await turns();
      expect(feeds).toHaveLength(before + 1);
    }
    feeds.at(-1)?.give(101);
    await turns();
    feeds.at(-1)?.fail(storeError('unavailable', 'the engine is away'));
    await turns();
    const before = feeds.length;
    clock.advance(100);
    await turns();
    expect(feeds).toHaveLength(before + 1);
  });

  test('is opened again after one pause for all failures, and no reader is opened meanwhile', async () => {
    const { feeds, follow, clock, reported } = createBench();
    follow(100);
    follow(50_000);
    await turns();
    expect(feeds).toHaveLength(2);
    for (const feed of [...feeds]) feed.fail(storeError('unavailable', 'the engine is away'));
    await turns();
    expect(reported).toHaveLength(2);
    follow(90_000);
    await turns();
    expect(feeds).toHaveLength(2);
    clock.advance(100);
    await turns();
    expect(places(feeds).slice(2)).toEqual([100, 50_000, 90_000]);
  });

  test('with expired fails the watchers that history has left behind, and is replaced at once for others', async () => {
    const { feeds, follow, reported } = createBench(1);
    const [gone, also, kept] = [follow(100), follow(90), follow(150)];
    await turns();
    const expired = storeError('expired', 'history begins later');
    feeds[0]?.fail(expired);
    await turns();
    expect([gone.failures, also.failures, kept.failures]).toEqual([[expired], [expired], []]);
    expect(places(feeds)).toEqual([100, 150]);
    expect(reported).toEqual([]);
  });

  test('because the store is closed closes the hub, and is not reported', async () => {
    const { feeds, follow, reported, closed } = createBench();
    follow(100);
    await turns();
    feeds[0]?.fail(storeError('closed', 'the store is closed'));
    await turns();
    expect([closed(), reported, feeds.length]).toEqual([1, [], 1]);
  });

  test('after close is not reported, and no further feed is opened', async () => {
    const { feeds, follow, catchUp, reported, clock, closed } = createBench();
    follow(100);
    follow(50_000);
    await turns();
    catchUp.close();
    expect(feeds.map(isOpen)).toEqual([false, false]);
    feeds[0]?.fail(storeError('unavailable', 'the engine is away'));
    feeds[1]?.fail(storeError('closed', 'the store is closed'));
    await turns();
    follow(200);
    clock.advance(10_000);
    await turns();
    expect([feeds.length, reported, closed()]).toEqual([2, [], 0]);
  });

  test('is not opened again when close comes during the pause', async () => {
    const { feeds, follow, catchUp, clock } = createBench();
    follow(100);
    await turns();
    feeds[0]?.fail(storeError('unavailable', 'the engine is away'));
    await turns();
    catchUp.close();
    await turns();
    clock.advance(10_000);
    await turns();
    expect(feeds).toHaveLength(1);
  });
});
