import { expect, test } from 'vitest';
import type { Change, ChangesOptions, EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';
import type { Batch } from '../../../../src/store/watch/batch.js';
import { createWatchHub } from '../../../../src/store/watch/watch-hub.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { watch } from './watching.js';

/** A store whose revisions also rise by what others write: changes and the latest revision are set by the test. */
function sharedStore(latest: Revision): {
  readonly store: EventStore;
  readonly opened: Revision[];
  change(revision: Revision): void;
  progress(revision: Revision): void;
} {
  const history: Change[] = [];
  const feeds = new Set<{ readonly feed: ParkedIterator<readonly Change[]>; tell(revision: Revision): void }>();
  const opened: Revision[] = [];
  let now = latest;
  const changes = ({ after, signal, onProgress }: ChangesOptions): AsyncIterable<readonly Change[]> => {
    let position = after;
    let lastProgress = after;
    let reached = after;
    opened.push(after);
    const feed = new ParkedIterator<readonly Change[]>({
      signal,
      poll() {
        const batch = history.filter(({ revision }) => revision > position);
        position = batch.at(-1)?.revision ?? position;
        if (batch.length > 0) return batch;
        if (reached > lastProgress) {
          lastProgress = reached;
          onProgress?.(lastProgress);
        }
        return undefined;
      },
      onEnd: () => feeds.delete(entry),
    });
    const entry = {
      feed,
      tell(revision: Revision): void {
        reached = revision;
        feed.wake();
      },
    };
    feeds.add(entry);
    return feed;
  };
  const store: EventStore = { ...memoryStore(), changes, revision: async () => now };
  return {
    store,
    opened,
    change(revision) {
      now = Math.max(now, revision);
      const key = { namespace: 'default', name: `event-${revision}` };
      const record = { key, revision, event: sampleEvent(key), expiresAt: 0 };
      history.push({ type: 'put', key, revision, record });
      for (const { feed } of [...feeds]) feed.wake();
    },
    progress(revision) {
      now = Math.max(now, revision);
      for (const entry of [...feeds]) entry.tell(revision);
    },
  };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 8; i++) await nextTurn();
}

test('an up-to-date watcher follows the progress of the feed whenever it is read and finds no change', async () => {
  const shared = sharedStore(100);
  const hub = createWatchHub({ store: shared.store, clock: fakeClock() });
  const watcher = watch(hub, { after: 100 });
  const first = watcher.next();
  await turns();
  expect(watcher.position).toBe(100);
  shared.progress(150);
  await turns();
  expect(watcher.position).toBe(150);
  shared.change(160);
  await turns();
  expect(watcher.position).toBe(160);
  expect((await first).value).toMatchObject({ revision: 160, entries: [{ change: { revision: 160 } }] });
  shared.progress(200);
  await turns();
  expect(watcher.position).toBe(160);
  void watcher.next();
  await turns();
  expect(watcher.position).toBe(200);
  hub.close();
});

test('progress never moves a watcher back, nor past a change', async () => {
  const shared = sharedStore(100);
  const hub = createWatchHub({ store: shared.store, clock: fakeClock() });
  const ahead = watch(hub, { after: 500 });
  const pending = ahead.next();
  await turns();
  shared.progress(300);
  await turns();
  expect(ahead.position).toBe(500);
  shared.change(400);
  shared.change(501);
  await turns();
  const { value } = await pending;
  expect((value as Batch).entries.map(({ change }) => change.revision)).toEqual([501]);
  hub.close();
});

test('watchers behind the ring, with nothing between them and it, hold no reader', async () => {
  const shared = sharedStore(100_000);
  shared.change(45_000);
  const hub = createWatchHub({ store: shared.store, clock: fakeClock(), catchUpReaders: 1 });
  // Far apart, so that they cannot share a reader, and only the last has a change to come.
  const places = [90_000, 80_000, 70_000, 60_000, 40_000];
  const seen = places.map((): Revision[] => []);
  const watchers = places.map((after) => watch(hub, { after }));
  for (const [index, watcher] of watchers.entries()) {
    void (async () => {
      for await (const batch of watcher) seen[index]?.push(...batch.entries.map(({ change }) => change.revision));
    })();
  }
  for (let round = 0; round < 10; round++) {
    await turns();
    shared.progress(100_001 + round);
  }
  await turns();
  expect(seen).toEqual([[], [], [], [], [45_000]]);
  expect(watchers.map((watcher) => watcher.position)).toEqual(places.map(() => 100_010));
  shared.change(100_050);
  await turns();
  expect(seen).toEqual([[100_050], [100_050], [100_050], [100_050], [45_000, 100_050]]);
  hub.close();
});

test('progress that a feed reports after it was ended moves no watcher of a later feed past a change', async () => {
  const shared = sharedStore(100);
  const reports: ((revision: Revision) => void)[] = [];
  const store: EventStore = {
    ...shared.store,
    changes(options) {
      if (options.onProgress !== undefined) reports.push(options.onProgress);
      return shared.store.changes(options);
    },
  };
  const clock = fakeClock();
  const hub = createWatchHub({ store, clock });
  await watch(hub, { after: 100 }).return();
  await turns();
  clock.advance(30_000);
  const watcher = watch(hub, { after: 100 });
  const pending = watcher.next();
  await turns();
  expect(shared.opened).toEqual([100, 100]);
  reports[0]?.(150);
  await turns();
  expect(watcher.position).toBe(100);
  shared.change(120);
  await turns();
  expect(((await pending).value as Batch).entries.map(({ change }) => change.revision)).toEqual([120]);
  void watcher.next();
  reports[1]?.(150);
  await turns();
  expect(watcher.position).toBe(150);
  hub.close();
});
