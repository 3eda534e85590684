import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Change, Revision } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { batchAt, type Batch } from '../../../../src/store/watch/batch.js';
import { HubEntry } from '../../../../src/store/watch/hub-entry.js';
import { Watcher, type WatcherHub } from '../../../../src/store/watch/watcher.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

function batchOf(...revisions: Revision[]): Batch {
  const entries = revisions.map((revision) => {
    const key = { namespace: 'default', name: `event-${revision}` };
    const change: Change = {
      type: 'put',
      key,
      revision,
      record: { key, revision, event: sampleEvent(key), expiresAt: 0 },
    };
    return new HubEntry(change);
  });
  return batchAt(entries, 0);
}

/** A watcher of a hub that has nothing in its ring, and its calls to the hub and the consumer. */
function watching(after: Revision, head: Revision, read: WatcherHub['read'] = () => undefined) {
  const calls: string[] = [];
  let wakes = 0;
  const hub: WatcherHub = {
    read,
    head: () => head,
    lag: () => void calls.push('lag'),
    leave: () => void calls.push('leave'),
  };
  const watcher = new Watcher(hub, { after, waker: { wake: () => void wakes++ } });
  return { watcher, calls, wakes: () => wakes };
}

/** Batches as catching up gives them. */
function give(watcher: Watcher, ...batches: Batch[]): () => number {
  let taken = 0;
  watcher.deliver(batches, () => void taken++);
  return () => taken;
}

test('batches given to a watcher are released once, when the last of them is taken', () => {
  const { watcher, calls, wakes } = watching(100, 0);
  const taken = give(watcher, batchOf(101, 102), batchOf(103));
  expect([wakes(), taken()]).toEqual([1, 0]);
  expect(watcher.poll()).toMatchObject({ revision: 102 });
  expect([watcher.position, taken()]).toEqual([102, 0]);
  expect(watcher.poll()).toMatchObject({ revision: 103 });
  expect([watcher.position, taken()]).toEqual([103, 1]);
  expect(watcher.poll()).toBeUndefined();
  expect([taken(), calls]).toEqual([1, []]);
});

test('batches given to a watcher are released when others replace them', () => {
  const { watcher } = watching(100, 0);
  const first = give(watcher, batchOf(101));
  const second = give(watcher, batchOf(102));
  expect([first(), second()]).toEqual([1, 0]);
  expect(watcher.poll()).toMatchObject({ revision: 102 });
  expect([first(), second()]).toEqual([1, 1]);
});

test('batches given to a watcher are released when it ends', () => {
  const { watcher, calls } = watching(100, 0);
  const taken = give(watcher, batchOf(101));
  watcher.end();
  expect([taken(), calls]).toEqual([1, ['leave']]);
  expect(watcher.poll()).toBe('end');
});

test('batches given to a watcher that has ended are released at once', () => {
  const { watcher, wakes } = watching(100, 0);
  watcher.end();
  const taken = give(watcher, batchOf(101));
  expect([taken(), wakes()]).toEqual([1, 1]);
  expect(watcher.poll()).toBe('end');
});

test('batches given to a watcher are released when it fails, and it leaves the hub once', () => {
  const { watcher, calls, wakes } = watching(100, 0);
  const taken = give(watcher, batchOf(101));
  const expired = storeError('expired', 'history begins later');
  watcher.fail(expired);
  expect(wakes()).toBe(2);
  expect(() => watcher.poll()).toThrow(expired);
  expect([taken(), calls]).toEqual([1, ['leave']]);
  expect(watcher.poll()).toBe('end');
  watcher.end();
  expect(calls).toEqual(['leave']);
});

test('a watcher that finds nothing new advances to the head, and never goes back', () => {
  const { watcher } = watching(100, 150);
  expect(watcher.poll()).toBeUndefined();
  expect(watcher.position).toBe(150);
  const { watcher: ahead } = watching(200, 150);
  expect(ahead.poll()).toBeUndefined();
  expect(ahead.position).toBe(200);
});

test('a watcher that is behind the ring reports this, and stays where it is', () => {
  const { watcher, calls } = watching(100, 150, () => 'behind');
  expect(watcher.poll()).toBeUndefined();
  expect([watcher.position, calls]).toEqual([100, ['lag']]);
});

test('the signal of a watch ends it, leaves the hub once and wakes the consumer', () => {
  const calls: string[] = [];
  const hub: WatcherHub = {
    read: () => undefined,
    head: () => 0,
    lag: () => undefined,
    leave: () => void calls.push('leave'),
  };
  const controller = new AbortController();
  const waker = { wake: () => void calls.push('wake') };
  const watcher = new Watcher(hub, { after: 100, signal: controller.signal, waker });
  expect(watcher.poll()).toBeUndefined();
  controller.abort();
  watcher.end();
  expect(calls).toEqual(['leave', 'wake']);
  expect(watcher.poll()).toBe('end');
});

test('a watcher that has ended no longer listens to its signal', () => {
  const { signal } = new AbortController();
  const hub: WatcherHub = { read: () => undefined, head: () => 0, lag: () => undefined, leave: () => undefined };
  const watcher = new Watcher(hub, { after: 100, signal, waker: { wake: () => undefined } });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  watcher.end();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a skip wakes the consumer, and never takes a watcher back', () => {
  const { watcher, wakes } = watching(100, 0);
  watcher.skip(200);
  expect([watcher.position, wakes()]).toEqual([200, 1]);
  watcher.skip(150);
  expect([watcher.position, wakes()]).toEqual([200, 2]);
});
