import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import type { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { openedWatch, settled, verbBench } from '../bench.js';

/** A store whose feed can also report how far it has come where nothing changed, as that of etcd does. */
function progressing(): { wrap: (store: EventStore) => EventStore; tell: (revision: Revision) => void } {
  const listeners = new Set<(revision: Revision) => void>();
  return {
    wrap: (store) => ({
      ...store,
      changes(options) {
        if (options.onProgress) listeners.add(options.onProgress);
        return store.changes(options);
      },
    }),
    tell: (revision) => listeners.forEach((tell) => tell(revision)),
  };
}

test('a bookmark follows the progress of a feed without changes, and comes once for each revision', async () => {
  const feed = progressing();
  const bench = verbBench(feed.wrap);
  const put = async (name: string): Promise<Revision> => {
    const stored = await bench.store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: 9e15 });
    return stored.revision;
  };
  const start = await put('a');
  const watch = openedWatch(bench, `&resourceVersion=${start}&allowWatchBookmarks=true`);
  let frames: string[] = [];
  const read = async (): Promise<void> => {
    for (let chunk = await watch.next(); chunk !== undefined; chunk = await watch.next()) {
      frames.push(...chunk.map(({ type, object }) => `${type} ${String(object.metadata['resourceVersion'])}`));
    }
  };
  const reading = read();
  const minute = async (): Promise<string[]> => {
    frames = [];
    await settled();
    bench.clock.advance(60_000);
    await settled();
    return frames;
  };
  expect(await minute()).toEqual([]);
  feed.tell(start + 1_000);
  expect(await minute()).toEqual([`BOOKMARK ${start + 1_000}`]);
  expect(await minute()).toEqual([]);
  feed.tell(start + 2_000);
  expect(await minute()).toEqual([`BOOKMARK ${start + 2_000}`]);
  await watch.iterator.return?.();
  await reading;
});

test.each(['&limit=1', '&limit=1&continue='])('a watch with %s begins with all existing events', async (query) => {
  const bench = verbBench();
  for (const name of ['a', 'b', 'c']) {
    await bench.store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: 9e15 });
  }
  const watch = openedWatch(bench, query);
  const names: unknown[] = [];
  while (names.length < 3) names.push(...((await watch.next()) ?? []).map(({ object }) => object.metadata['name']));
  expect(names).toEqual(['a', 'b', 'c']);
  await watch.iterator.return?.();
});

test.each(['', '0'])(
  'a watch without initial events from the revision %j begins with the next change',
  async (revision) => {
    const bench = verbBench();
    const put = (name: string) =>
      bench.store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: 9e15 });
    await put('a');
    const watch = openedWatch(
      bench,
      `&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${revision}`,
    );
    const next = watch.next();
    await settled();
    await put('b');
    expect((await next)?.map(({ type, object }) => [type, object.metadata['name']])).toEqual([['ADDED', 'b']]);
    await watch.iterator.return?.();
  },
);

test.each(['history', 'memory'])(
  'watches that examine many changes in %s take turns on the event loop',
  async (where) => {
    const changes = 3_000;
    let examined = 0;
    const bench = verbBench((store) => ({
      ...store,
      async *changes(options) {
        for await (const page of store.changes(options)) {
          yield page.map((change) => {
            const { event } = change.record;
            const field = (name: string): string => {
              examined++;
              bench.clock.advance(0.01);
              return event.fields[name] ?? '';
            };
            return { ...change, record: { ...change.record, event: { ...event, field } } };
          });
        }
      },
    }));
    const start = await bench.store.revision();
    const open = (index: number) => openedWatch(bench, `&resourceVersion=${start}&fieldSelector=reason%3Dx${index}`);
    // The changes are in memory only while they are watched.
    const watched = where === 'memory' ? open(-1) : undefined;
    const earlier = watched?.next();
    await settled();
    for (let index = 0; index < changes; index++) {
      const name = `event-${index}`;
      await bench.store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: 9e15 });
    }
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    examined = 0;
    const watches = Array.from({ length: 8 }, (_, index) => open(index));
    const reading = watches.map((watch) => watch.next());
    // Opening is limited by the requests.
    await nextTurn();
    const first = examined;
    let most = 0;
    for (let before = first, turn = 0; turn < 200; turn++, before = examined) {
      await nextTurn();
      most = Math.max(most, examined - before);
    }
    expect(examined).toBe(watches.length * changes);
    expect(first).toBeLessThan(examined / 2);
    // One watch examines 1,024 changes at once. Another may get what was read for it in the same turn.
    expect(most).toBeLessThan(3_000);
    for (const watch of watches) await watch.iterator.return?.();
    await watched?.iterator.return?.();
    await Promise.all([...reading, earlier]);
  },
);

test('bookmarks that are due at the same moment are sent over several turns of the event loop', async () => {
  const bench = verbBench();
  const query = `&allowWatchBookmarks=true&resourceVersion=${await bench.store.revision()}`;
  const iterators = Array.from({ length: 6 }, () => openedWatch(bench, query).iterator as ParkedIterator<Uint8Array>);
  let sent = 0;
  const resolve = (): void => {
    sent++;
    bench.clock.advance(3);
  };
  const reject = (error: unknown): never => {
    throw error;
  };
  for (const iterator of iterators) iterator.nextTo({ resolve, reject });
  await settled();
  await bench.store.create({ namespace: 'other', name: 'a' }, sampleEvent({ name: 'a' }), { expiresAt: 9e15 });
  await settled();
  bench.clock.advance(60_000);
  const turns: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    turns.push(sent);
  }
  expect(turns).toEqual([2, 4, 6, 6]);
  for (const iterator of iterators) await iterator.return();
});
