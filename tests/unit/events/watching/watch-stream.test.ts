import { describe, expect, onTestFinished, test } from 'vitest';
import { createWatchHub } from '../../../../src/store/watch/watch-hub.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import type { EventStore, Revision } from '../../../../src/store/contract/event-store.js';
import type { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';
import { bench as apiBench, openedWatch, path, plainEncoder, settled, verbBench, type OpenedWatch } from '../bench.js';

const FAR = Number.MAX_SAFE_INTEGER;

async function put(store: EventStore, name: string, labels: Record<string, string> = {}): Promise<Revision> {
  const key = { namespace: 'default', name };
  return (await store.create(key, sampleEvent({ name, labels }), { expiresAt: FAR })).revision;
}

/** Names and types of the next chunk. */
async function shown(watch: OpenedWatch): Promise<string[] | undefined> {
  return (await watch.next())?.map(({ type, object }) => `${type} ${String(object.metadata['name'] ?? '')}`.trim());
}

const from = (revision: Revision): string => `&resourceVersion=${revision}`;

describe('the start of a watch', () => {
  test('without a revision is all existing events, then changes', async () => {
    const bench = verbBench();
    await put(bench.store, 'a');
    const watch = openedWatch(bench);
    expect(await shown(watch)).toEqual(['ADDED a']);
    const next = shown(watch);
    await put(bench.store, 'b');
    expect(await next).toEqual(['ADDED b']);
  });

  test('with a revision is the changes after it', async () => {
    const bench = verbBench();
    const first = await put(bench.store, 'a');
    await put(bench.store, 'b');
    expect(await shown(openedWatch(bench, from(first)))).toEqual(['ADDED b']);
  });

  test('with sendInitialEvents ends with a marked bookmark, at the revision of the list', async () => {
    const bench = verbBench();
    const revision = await put(bench.store, 'a');
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = openedWatch(bench, initial);
    expect(await shown(watch)).toEqual(['ADDED a']);
    const [bookmark] = (await watch.next()) ?? [];
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: {
        metadata: { resourceVersion: String(revision), annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  test('with sendInitialEvents and a future revision is an ERROR frame that says when to try again', async () => {
    const bench = verbBench();
    const current = await put(bench.store, 'a');
    const watch = openedWatch(bench, `&sendInitialEvents=true&resourceVersionMatch=NotOlderThan${from(current + 9)}`);
    expect(await watch.next()).toMatchObject([
      { type: 'ERROR', object: { code: 504, details: { retryAfterSeconds: 1 } } },
    ]);
  });

  test('sends each initial event once, although the watch is woken again and again meanwhile', async () => {
    const bench = verbBench();
    const names = Array.from({ length: 150 }, (_, index) => `event-${String(index).padStart(3, '0')}`);
    for (const name of names) {
      const note = 'x'.repeat(1_000);
      const key = { namespace: 'default', name };
      await bench.store.create(key, sampleEvent({ name, note }), { expiresAt: FAR });
    }
    const watch = openedWatch(bench);
    const parked = watch.iterator as ParkedIterator<Uint8Array>;
    const seen: unknown[] = [];
    while (seen.length < names.length) {
      const next = watch.next();
      for (let wakes = 0; wakes < 10; wakes++) parked.wake();
      seen.push(...((await next) ?? []).map(({ object }) => object.metadata['name']));
      await settled();
    }
    expect(seen).toEqual(names);
    const next = shown(watch);
    await put(bench.store, 'last');
    expect(await next).toEqual(['ADDED last']);
  });

  test('loses nothing between the initial events and the first change', async () => {
    const bench = verbBench();
    for (let index = 0; index < 20; index++) await put(bench.store, `before-${index}`);
    const watch = openedWatch(bench);
    expect((await watch.next())?.length).toBe(20);
    await put(bench.store, 'between');
    expect(await shown(watch)).toEqual(['ADDED between']);
  });
});

describe('the selector of a watch', () => {
  test('shows events that begin or cease to match as ADDED and DELETED, and hides others', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'other', { app: 'db' });
    const key = { namespace: 'default', name: 'a' };
    const labelled = (app: string) => sampleEvent({ name: 'a', labels: { app } });
    const created = await bench.store.create(key, labelled('db'), { expiresAt: FAR });
    const matched = await bench.store.replace(key, labelled('web'), { expected: created.revision, expiresAt: FAR });
    const still = await bench.store.replace(key, labelled('web'), { expected: matched.revision, expiresAt: FAR });
    const left = await bench.store.replace(key, labelled('db'), { expected: still.revision, expiresAt: FAR });
    await bench.store.remove(key);
    await put(bench.store, 'last', { app: 'web' });
    const watch = openedWatch(bench, `${from(start)}&labelSelector=app%3Dweb`);
    const seen: { type: string; object: { metadata: Record<string, unknown> } }[] = [];
    while (seen.length < 4) seen.push(...((await watch.next()) ?? []));
    expect(seen.map(({ type, object }) => `${type} ${String(object.metadata['name'])}`)).toEqual([
      'ADDED a',
      'MODIFIED a',
      'DELETED a',
      'ADDED last',
    ]);
    // the last state that matched, at the revision of the change that made it leave
    expect(seen[2]?.object.metadata).toMatchObject({ labels: { app: 'web' }, resourceVersion: String(left.revision) });
  });

  test('shows the removal of a matching event as one DELETED, with its last state and a new revision', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a', { app: 'web' });
    await bench.store.remove({ namespace: 'default', name: 'a' });
    const removed = await bench.store.revision();
    await put(bench.store, 'last', { app: 'web' });
    const watch = openedWatch(bench, `${from(start)}&labelSelector=app%3Dweb`);
    const seen = (await watch.next()) ?? [];
    expect(seen.map(({ type, object }) => `${type} ${String(object.metadata['name'])}`)).toEqual([
      'DELETED a',
      'ADDED last',
    ]);
    expect(seen[0]?.object.metadata).toMatchObject({ labels: { app: 'web' }, resourceVersion: String(removed) });
  });

  test('hides events of other namespaces', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const elsewhere = sampleEvent({ namespace: 'elsewhere', name: 'b' });
    await bench.store.create({ namespace: 'elsewhere', name: 'b' }, elsewhere, { expiresAt: FAR });
    await put(bench.store, 'c');
    expect(await shown(openedWatch(bench, from(start)))).toEqual(['ADDED c']);
  });
});

describe('the duration of a watch', () => {
  test('is timeoutSeconds, to the second', async () => {
    const bench = verbBench();
    const watch = openedWatch(bench, `${from(await put(bench.store, 'a'))}&timeoutSeconds=7`);
    const end = watch.next();
    await settled();
    bench.clock.advance(6_999);
    await settled();
    expect(watch.ends()).toBe(0);
    bench.clock.advance(1);
    expect(await end).toBeUndefined();
    expect(watch.ends()).toBe(1);
    expect(bench.hub.watchers).toBe(0);
  });

  test('is half an hour to an hour without it', async () => {
    const bench = verbBench();
    const revision = await put(bench.store, 'a');
    const watches = Array.from({ length: 30 }, () => openedWatch(bench, from(revision)));
    const ends = watches.map((watch) => watch.next());
    await settled();
    bench.clock.advance(30 * 60_000 - 1);
    await settled();
    expect(bench.hub.watchers).toBe(30);
    bench.clock.advance(30 * 60_000 + 1);
    expect(await Promise.all(ends)).toEqual(watches.map(() => undefined));
    expect(bench.hub.watchers).toBe(0);
  });

  test('includes the time that the store takes for the initial events', async () => {
    for (const hanging of ['list', 'revision'] as const) {
      const bench = verbBench((store) => ({ ...store, [hanging]: () => new Promise(() => undefined) }));
      const more = hanging === 'list' ? '' : '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
      const watch = openedWatch(bench, `&timeoutSeconds=7${more}`);
      const end = watch.next();
      await settled();
      bench.clock.advance(7_000);
      expect(await end).toBeUndefined();
      expect([watch.ends(), bench.hub.watchers]).toEqual([1, 0]);
    }
  });

  test('ends with an ERROR frame at the deadline of requests if the store does not respond before the first change', async () => {
    for (const hanging of ['list', 'revision'] as const) {
      const bench = verbBench((store) => ({ ...store, [hanging]: () => new Promise(() => undefined) }));
      const more = hanging === 'list' ? '' : '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
      const watch = openedWatch(bench, more);
      const frames = watch.next();
      await settled();
      bench.clock.advance(59_999);
      await settled();
      expect(watch.ends()).toBe(0);
      bench.clock.advance(1);
      expect(await frames).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
      expect(await watch.next()).toBeUndefined();
      expect(watch.ends()).toBe(1);
    }
  });

  test('is zero if timeoutSeconds is negative', async () => {
    const bench = verbBench();
    const watch = openedWatch(bench, '&timeoutSeconds=-1');
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });
});

describe('bookmarks', () => {
  test('come at intervals with the last delivered revision, and not twice for one revision', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const watch = openedWatch(bench, `${from(start)}&allowWatchBookmarks=true`);
    let next = watch.next();
    await settled();
    bench.clock.advance(60_000);
    const revision = await put(bench.store, 'b');
    expect((await next)?.[0]?.type).toBe('ADDED');
    next = watch.next();
    await settled();
    bench.clock.advance(60_000);
    const [bookmark] = (await next) ?? [];
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(revision) } } });
    expect(bookmark?.object.metadata).not.toHaveProperty('annotations');
    next = watch.next();
    await settled();
    bench.clock.advance(120_000);
    await put(bench.store, 'c');
    expect((await next)?.[0]?.type).toBe('ADDED');
  });

  test('do not follow a change at once, although it has brought the watch to a new revision', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const watch = openedWatch(bench, `${from(start)}&allowWatchBookmarks=true`);
    await put(bench.store, 'b');
    expect(await shown(watch)).toEqual(['ADDED b']);
    const next = shown(watch);
    await settled();
    bench.clock.advance(59_999);
    await put(bench.store, 'c');
    expect(await next).toEqual(['ADDED c']);
  });

  test('continue while a selector filters everything', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const watch = openedWatch(bench, `${from(start)}&allowWatchBookmarks=true&labelSelector=never`);
    const next = watch.next();
    const last = await put(bench.store, 'b');
    await settled();
    bench.clock.advance(60_000);
    const [bookmark] = (await next) ?? [];
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(last) } } });
  });

  test('that were due several times for a slow consumer come once', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const watch = openedWatch(bench, `${from(start)}&allowWatchBookmarks=true&labelSelector=never`);
    const early = shown(watch);
    await put(bench.store, 'b');
    await settled();
    bench.clock.advance(180_000);
    expect(await early).toEqual(['BOOKMARK']);
    let later: unknown;
    void shown(watch).then((types) => (later = types));
    await put(bench.store, 'c');
    await settled();
    bench.clock.advance(59_999);
    await settled();
    expect(later).toBeUndefined();
    bench.clock.advance(1);
    await settled();
    expect(later).toEqual(['BOOKMARK']);
  });

  test('are never ahead of a change that waits for a slow consumer', async () => {
    const bench = verbBench();
    const watch = openedWatch(bench, `${from(await put(bench.store, 'a'))}&allowWatchBookmarks=true`);
    const next = watch.next();
    await put(bench.store, 'b');
    await next;
    // The consumer has not come back yet: a change arrives, and the time of a bookmark.
    await put(bench.store, 'c');
    await settled();
    bench.clock.advance(60_000);
    let highest = 0;
    for (let seen = 0; seen < 2; seen++) {
      for (const { type, object } of (await watch.next()) ?? []) {
        const revision = Number(object.metadata['resourceVersion']);
        if (type === 'BOOKMARK') expect(revision).toBeGreaterThanOrEqual(highest);
        else expect(revision).toBeGreaterThan(highest);
        highest = revision;
        if (type === 'ADDED') seen = 2;
      }
    }
    expect(highest).toBe(await bench.store.revision());
  });

  test.each(['', '&allowWatchBookmarks=false'])(
    'are not sent without being requested%s, however much happens',
    async (more) => {
      const bench = verbBench();
      const start = await put(bench.store, 'a');
      const query = `${from(start)}&labelSelector=app%3Dweb`;
      const asking = openedWatch(bench, `${query}&allowWatchBookmarks=true`);
      const watch = openedWatch(bench, `${query}${more}`);
      const next = watch.next();
      for (const name of ['b', 'c', 'd']) {
        const due = asking.next();
        await settled();
        const revision = await put(bench.store, name);
        await settled();
        bench.clock.advance(60_000);
        // A watch that requests bookmarks is sent one now.
        expect((await due)?.map(({ type, object }) => [type, object.metadata['resourceVersion']])).toEqual([
          ['BOOKMARK', String(revision)],
        ]);
        await settled();
      }
      await put(bench.store, 'e', { app: 'web' });
      bench.clock.advance(60_000);
      expect((await next)?.map(({ type, object }) => [type, object.metadata['name']])).toEqual([['ADDED', 'e']]);
    },
  );

  test('do not end the initial events unless requested', async () => {
    const bench = verbBench();
    await put(bench.store, 'a');
    for (const query of ['', '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan']) {
      const watch = openedWatch(bench, query);
      expect(await shown(watch)).toEqual(['ADDED a']);
      const next = watch.next();
      await settled();
      const name = `after${query.length}`;
      await put(bench.store, name);
      bench.clock.advance(2);
      expect((await next)?.map(({ type }) => type)).toEqual(['ADDED']);
      await bench.store.remove({ namespace: 'default', name });
    }
  });
});

describe('the end of a watch', () => {
  test('comes when the client disconnects while it waits', async () => {
    const bench = verbBench();
    const client = new AbortController();
    const watch = openedWatch(bench, from(await put(bench.store, 'a')), { signal: client.signal });
    const end = watch.next();
    await settled();
    expect(bench.hub.watchers).toBe(1);
    client.abort();
    expect(await end).toBeUndefined();
    expect(bench.hub.watchers).toBe(0);
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });

  test('releases everything if the client disconnects before the first read', () => {
    const bench = verbBench();
    const client = new AbortController();
    const watch = openedWatch(bench, '', { signal: client.signal });
    client.abort();
    expect(watch.ends()).toBe(1);
    expect(bench.hub.watchers).toBe(0);
  });

  test('comes at once if the client has disconnected already', async () => {
    const bench = verbBench();
    const watch = openedWatch(bench, '', { signal: AbortSignal.abort() });
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });

  test('comes with return() while it waits, and again', async () => {
    const bench = verbBench();
    const watch = openedWatch(bench, from(await put(bench.store, 'a')));
    const end = watch.next();
    await settled();
    expect(await watch.iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await end).toBeUndefined();
    expect(bench.hub.watchers).toBe(0);
    await watch.iterator.return?.();
    expect(watch.ends()).toBe(1);
  });

  test('comes with return() before the first step, and between two', async () => {
    const bench = verbBench();
    const unread = openedWatch(bench, from(await put(bench.store, 'a')));
    await unread.iterator.return?.();
    expect(unread.ends()).toBe(1);
    const read = openedWatch(bench);
    await read.next();
    await read.iterator.return?.();
    expect(read.ends()).toBe(1);
    expect(bench.hub.watchers).toBe(0);
  });

  test('is clean when the hub closes; with a closed hub no watch begins', async () => {
    const bench = verbBench();
    const query = from(await put(bench.store, 'a'));
    const watch = openedWatch(bench, query);
    const end = watch.next();
    await settled();
    bench.hub.close();
    expect(await end).toBeUndefined();
    expect(watch.ends()).toBe(1);
    expect(await openedWatch(bench, query).next()).toBeUndefined();
  });

  test('comes when the representation cannot continue', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    await put(bench.store, 'b');
    const encoder = { ...plainEncoder, encode: () => undefined };
    const live = openedWatch(bench, from(start), { encoder });
    expect(await live.next()).toBeUndefined();
    const initial = openedWatch(bench, '', { encoder });
    expect(await initial.next()).toBeUndefined();
    expect([live.ends(), initial.ends(), bench.hub.watchers]).toEqual([1, 1, 0]);
  });

  test('comes after the frames that the representation still has of changes that are sent together', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    await put(bench.store, 'b');
    await put(bench.store, 'c');
    let frames = 0;
    const encoder = {
      ...plainEncoder,
      encode: (...of: Parameters<typeof plainEncoder.encode>) =>
        frames++ === 0 ? plainEncoder.encode(...of) : undefined,
    };
    const watch = openedWatch(bench, from(start), { encoder });
    const { value } = (await watch.iterator.next()) as { readonly value: Uint8Array };
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ object: { metadata: { name: 'b' } } });
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });

  test('comes when the representation has no bookmark for the end of the initial events', async () => {
    const bench = verbBench();
    await put(bench.store, 'a');
    const encoder = {
      ...plainEncoder,
      encode: (...of: Parameters<typeof plainEncoder.encode>) =>
        of[0] === 'BOOKMARK' ? undefined : plainEncoder.encode(...of),
    };
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = openedWatch(bench, initial, { encoder });
    expect(await shown(watch)).toEqual(['ADDED a']);
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });
});

describe('a failure in a watch', () => {
  test('because history was dropped is reported to a slow consumer when it reads again', async () => {
    const bench = verbBench(undefined, 1_000);
    const clock = bench.clock;
    const start = await put(bench.store, 'a');
    const hub = createWatchHub({ store: bench.store, clock, maxBytes: 1 });
    onTestFinished(() => hub.close());
    const watch = openedWatch(
      { ...bench, call: (...args) => ({ ...bench.call(...args), dependencies: { ...bench.dependencies, hub } }) },
      from(start),
    );
    const first = shown(watch);
    await put(bench.store, 'b');
    expect(await first).toEqual(['ADDED b']);
    for (const name of ['c', 'd', 'e']) {
      clock.advance(10_000);
      await put(bench.store, name);
      await bench.store.remove({ namespace: 'default', name });
      await settled();
    }
    expect(await watch.next()).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    expect(await watch.next()).toBeUndefined();
    expect(hub.watchers).toBe(0);
  });

  test('because the revision is expired is one ERROR frame with a 410, then the end', async () => {
    const bench = verbBench(undefined, 1_000);
    const start = await put(bench.store, 'a');
    await bench.store.remove({ namespace: 'default', name: 'a' });
    bench.clock.advance(10_000);
    await put(bench.store, 'b');
    bench.clock.advance(10_000);
    await put(bench.store, 'c');
    const watch = openedWatch(bench, from(start));
    const frames = await watch.next();
    expect(frames).toMatchObject([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          status: 'Failure',
          reason: 'Expired',
          code: 410,
          message: 'The resourceVersion for the provided watch is too old.',
        },
      },
    ]);
    expect(await watch.next()).toBeUndefined();
    expect([watch.ends(), bench.hub.watchers]).toEqual([1, 0]);
  });

  test('of the feed is repaired without loss and without repetition', async () => {
    let fail: ((error: Error) => void) | undefined;
    const bench = verbBench((store) => ({
      ...store,
      changes: (options) => ({
        async *[Symbol.asyncIterator]() {
          const failure = new Promise<never>((_, reject) => (fail = reject));
          const source = store.changes(options)[Symbol.asyncIterator]();
          for (;;) {
            const step = await Promise.race([source.next(), failure]);
            if (step.done) return;
            yield step.value;
          }
        },
      }),
    }));
    const watch = openedWatch(bench, from(await put(bench.store, 'a')));
    const first = shown(watch);
    await put(bench.store, 'b');
    expect(await first).toEqual(['ADDED b']);
    const second = shown(watch);
    fail?.(storeError('unavailable', 'away'));
    await settled();
    await put(bench.store, 'c');
    bench.clock.advance(10_000);
    expect(await second).toEqual(['ADDED c']);
  });

  test.each([
    ['unavailable', 503],
    ['unknown-outcome', 504],
    ['future-revision', 504],
  ] as const)('because the store is %s at the start is an ERROR frame with %i', async (code, status) => {
    const bench = verbBench((store) => ({ ...store, list: () => Promise.reject(storeError(code, 'secret')) }));
    const watch = openedWatch(bench);
    const frames = await watch.next();
    expect(frames).toMatchObject([{ type: 'ERROR', object: { code: status } }]);
    expect(JSON.stringify(frames)).not.toContain('secret');
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });

  test('because the store is closed aborts the stream', async () => {
    const bench = verbBench((store) => ({ ...store, list: () => Promise.reject(storeError('closed', 'closed')) }));
    const watch = openedWatch(bench);
    await expect(watch.next()).rejects.toMatchObject({ code: 'closed' });
    expect(watch.ends()).toBe(1);
  });

  test('that is unexpected aborts the stream, and releases everything', async () => {
    const bench = verbBench((store) => ({ ...store, list: () => Promise.reject(new Error('secret')) }));
    const watch = openedWatch(bench);
    await expect(watch.next()).rejects.toThrow('secret');
    expect([watch.ends(), bench.hub.watchers]).toEqual([1, 0]);
  });
});

describe('an encoder with state', () => {
  test('receives every change of its own watch, however many others are like it', async () => {
    const bench = verbBench();
    const start = await put(bench.store, 'a');
    const watches = Array.from({ length: 3 }, (_, watch) => {
      let count = 0;
      const encode = (type: string): Uint8Array =>
        new TextEncoder().encode(
          `${JSON.stringify({ type, object: { metadata: { name: `${watch}.${count++}` } } })}\n`,
        );
      return openedWatch(bench, from(start), { encoder: { cacheKey: undefined, encode } });
    });
    const seen = watches.map(() => [] as string[]);
    for (const round of [1, 2]) {
      const next = watches.map((watch) => shown(watch));
      await settled();
      await put(bench.store, `b${round}`);
      bench.clock.advance(2);
      for (const [watch, names] of (await Promise.all(next)).entries()) seen[watch]?.push(...(names ?? []));
    }
    expect(seen).toEqual([0, 1, 2].map((watch) => [`ADDED ${watch}.0`, `ADDED ${watch}.1`]));
  });

  test('that cannot encode an error ends without one', async () => {
    const bench = verbBench((store) => ({
      ...store,
      list: () => Promise.reject(storeError('unavailable', 'away')),
    }));
    const watch = openedWatch(bench, '', { encoder: { cacheKey: undefined, encode: () => undefined } });
    expect(await watch.next()).toBeUndefined();
    expect(watch.ends()).toBe(1);
  });
});

describe('initial events that are read faster than they arrive', () => {
  test('are sent once each, and in order', async () => {
    const bench = verbBench();
    const names = Array.from({ length: 400 }, (_, index) => `event-${String(index).padStart(3, '0')}`);
    for (const name of names) {
      const event = sampleEvent({ name, note: 'x'.repeat(1_000) });
      await bench.store.create({ namespace: 'default', name }, event, { expiresAt: FAR });
    }
    const watch = openedWatch(bench);
    const chunks = await Promise.all(Array.from({ length: 8 }, () => watch.next()));
    const seen = chunks.flatMap((frames) => (frames ?? []).map(({ object }) => object.metadata['name']));
    expect(seen.length).toBeGreaterThan(100);
    expect(seen).toEqual(names.slice(0, seen.length));
  });
});

test('a client that disconnects while the store is called for its revision ends that call', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const bench = verbBench((store) => ({
    ...store,
    revision: (options) => {
      signals.push(options?.signal);
      return store.revision();
    },
  }));
  const client = new AbortController();
  const watch = openedWatch(bench, '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', {
    signal: client.signal,
  });
  void watch.next();
  expect(signals).toHaveLength(1);
  expect(signals[0]?.aborted).toBe(false);
  client.abort();
  expect(signals[0]?.aborted).toBe(true);
});

test.each<[string, (made: ReturnType<typeof apiBench>, client: AbortController) => void]>([
  ['its client disconnects', (_made, client) => client.abort()],
  ['its time is over', ({ clock }) => clock.advance(5_000)],
])('a watch ends the list of its initial events when %s', async (_, end) => {
  const signals: (AbortSignal | undefined)[] = [];
  const made = apiBench({}, (store) => ({
    ...store,
    list(query) {
      const { signal } = query;
      signals.push(signal);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  }));
  const client = new AbortController();
  const watch = await made.ask(`GET ${path('?watch=true&timeoutSeconds=5')}`, { signal: client.signal });
  const text = watch.text().catch(() => '');
  await settled();
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  end(made, client);
  await text;
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});
