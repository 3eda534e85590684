import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { createPagedFeeds, type FeedSource } from '../../../../src/store/feeds/paged-feed.js';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

function changeAt(revision: number): Change {
  const key = { namespace: 'default', name: `event-${revision}` };
  return { type: 'put', key, revision, record: { key, revision, event: sampleEvent(), expiresAt: 1 } };
}

/** Feeds over a log of changes, read two at a time. */
function createBench(pageSize = 2) {
  const log: Change[] = [];
  let reads = 0;
  let failure: Error | undefined;
  const paged = createPagedFeeds({
    async read(after) {
      reads++;
      await nextTurn();
      if (failure !== undefined) throw failure;
      return log.filter(({ revision }) => revision > after).slice(0, pageSize);
    },
  });
  /** A reader as the shell of stores makes it. */
  const open = ({ after, signal }: { after: number; signal?: AbortSignal }): ParkedIterator<readonly Change[]> => {
    let source: FeedSource | undefined;
    const reader: ParkedIterator<readonly Change[]> = new ParkedIterator({
      signal,
      poll: () => source?.take(),
      onEnd: () => source?.end?.(),
    });
    if (signal?.aborted !== true) source = paged.open({ after, wake: () => reader.wake() });
    return reader;
  };
  const feeds = {
    open,
    get readers() {
      return paged.readers;
    },
  };
  return {
    feeds,
    reads: () => reads,
    fail: (error: Error | undefined) => (failure = error),
    write(...revisions: number[]) {
      log.push(...revisions.map(changeAt));
      paged.wake();
    },
    offer(...revisions: number[]) {
      const changes = revisions.map(changeAt);
      log.push(...changes);
      paged.offer(changes);
    },
  };
}

const revisionsOf = (result: IteratorResult<readonly Change[]>): number[] | 'end' =>
  result.done === true ? 'end' : result.value.map(({ revision }) => revision);

describe('a paged feed', () => {
  test('reads page by page, only on demand, and waits when nothing is left', async () => {
    const { feeds, write, reads } = createBench();
    write(1, 2, 3);
    const reader = feeds.open({ after: 0 });
    await nextTurn();
    expect(reads()).toBe(0);
    expect(revisionsOf(await reader.next())).toEqual([1, 2]);
    expect(revisionsOf(await reader.next())).toEqual([3]);
    const waiting = reader.next();
    for (let i = 0; i < 5; i++) await nextTurn();
    const idleReads = reads();
    for (let i = 0; i < 5; i++) await nextTurn();
    expect(reads()).toBe(idleReads);
    write(4);
    expect(revisionsOf(await waiting)).toEqual([4]);
  });

  test('does not miss writes during a read', async () => {
    const { feeds, write } = createBench();
    const reader = feeds.open({ after: 0 });
    const first = reader.next();
    write(1);
    expect(revisionsOf(await first)).toEqual([1]);
  });

  test('fails once with the error of the read, and is finished', async () => {
    const { feeds, fail } = createBench();
    fail(storeError('expired', 'too old'));
    const reader = feeds.open({ after: 0 });
    await expect(reader.next()).rejects.toMatchObject({ code: 'expired' });
    expect(revisionsOf(await reader.next())).toBe('end');
    expect(feeds.readers).toBe(0);
  });

  test('ends with its signal and when it is left', async () => {
    const { feeds } = createBench();
    const abort = new AbortController();
    const readers = [
      feeds.open({ after: 0, signal: abort.signal }),
      feeds.open({ after: 0 }),
      feeds.open({ after: 0 }),
    ];
    const waiting = readers.map((reader) => reader.next());
    expect(feeds.readers).toBe(3);
    abort.abort();
    expect(revisionsOf(await (waiting[0] as Promise<IteratorResult<readonly Change[]>>))).toBe('end');
    await readers[1]?.return?.();
    expect(feeds.readers).toBe(1);
    readers[2]?.end();
    expect((await Promise.all(waiting)).map(revisionsOf)).toEqual(['end', 'end', 'end']);
    expect(revisionsOf(await feeds.open({ after: 0, signal: AbortSignal.abort() }).next())).toBe('end');
    expect(feeds.readers).toBe(0);
  });

  test('delivers everything in order to readers that start anywhere, whenever they read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 20 }),
        fc.nat(10),
        fc.integer({ min: 1, max: 4 }),
        async (gaps, start, pageSize) => {
          const { feeds, write } = createBench(pageSize);
          const reader = feeds.open({ after: start });
          const expected: number[] = [];
          const seen: number[] = [];
          let revision = 0;
          const all = gaps.map((gap) => (revision += gap));
          expected.push(...all.filter((one) => one > start));
          const reading = (async () => {
            while (seen.length < expected.length) {
              const result = await reader.next();
              if (result.done === true) return;
              seen.push(...result.value.map((change) => change.revision));
            }
          })();
          for (const one of all) {
            write(one);
            if (one % 2 === 0) await nextTurn();
          }
          await reading;
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('does not read what is pushed to readers that have everything before it', async () => {
    const { feeds, offer, reads } = createBench();
    const reader = feeds.open({ after: 0 });
    const first = reader.next();
    for (let i = 0; i < 5; i++) await nextTurn();
    const before = reads();
    offer(1, 2, 3);
    expect(revisionsOf(await first)).toEqual([1, 2, 3]);
    offer(4);
    offer(5, 6);
    expect(revisionsOf(await reader.next())).toEqual([4, 5, 6]);
    const waiting = reader.next();
    for (let i = 0; i < 5; i++) await nextTurn();
    expect(reads()).toBe(before);
    offer();
    offer(7);
    expect(revisionsOf(await waiting)).toEqual([7]);
  });

  test('has one read in progress at a time, and continues after it with what was pushed meanwhile', async () => {
    const reads: ((changes: readonly Change[]) => void)[] = [];
    const paged = createPagedFeeds({ read: () => new Promise((resolve) => reads.push(resolve)) });
    const source = paged.open({ after: 0, wake: () => undefined });
    expect(source.take()).toBeUndefined();
    paged.wake();
    await nextTurn();
    expect(source.take()).toBeUndefined();
    paged.offer([changeAt(2)]);
    paged.offer([changeAt(3)]);
    expect(reads).toHaveLength(1);
    reads[0]?.([changeAt(1), changeAt(2)]);
    await nextTurn();
    expect(source.take()?.map(({ revision }) => revision)).toEqual([1, 2]);
    expect(source.take()?.map(({ revision }) => revision)).toEqual([3]);
    expect(reads).toHaveLength(1);
    expect(source.take()).toBeUndefined();
    expect(reads).toHaveLength(2);
  });

  test('keeps little more than a thousand changes for a busy reader, and reads the rest', async () => {
    const log: Change[] = [];
    const paged = createPagedFeeds({ read: (after) => log.filter(({ revision }) => revision > after) });
    const source = paged.open({ after: 0, wake: () => undefined });
    expect(source.take()).toBeUndefined();
    for (const first of [1, 601, 1201, 1801]) {
      const changes = Array.from({ length: 600 }, (_, index) => changeAt(first + index));
      log.push(...changes);
      paged.offer(changes);
    }
    const taken = [source.take(), source.take()].map((changes) => changes?.length);
    expect(taken).toEqual([1200, 1200]);
    expect(source.take()).toBeUndefined();
  });

  test('reads what is pushed when it has just as much as it keeps', () => {
    const log: Change[] = [];
    const paged = createPagedFeeds({ read: (after) => log.filter(({ revision }) => revision > after) });
    const source = paged.open({ after: 0, wake: () => undefined });
    expect(source.take()).toBeUndefined();
    for (let revision = 1; revision <= 1025; revision++) {
      log.push(changeAt(revision));
      paged.offer([changeAt(revision)]);
    }
    expect(source.take()).toHaveLength(1024);
    expect(source.take()?.map(({ revision }) => revision)).toEqual([1025]);
  });

  test('wakes its readers once for all reports of a turn of the event loop', async () => {
    const paged = createPagedFeeds({ read: () => [] });
    let woken = 0;
    paged.open({ after: 0, wake: () => void (woken += 1) });
    for (const total of [1, 2]) {
      paged.wake();
      paged.wake();
      await nextTurn();
      expect(woken).toBe(total);
    }
  });

  test('reads again when more was pushed than it keeps', async () => {
    const { feeds, offer } = createBench(10_000);
    const reader = feeds.open({ after: 0 });
    for (let revision = 1; revision <= 5000; revision++) offer(revision);
    let seen = 0;
    while (seen < 5000) {
      const result = await reader.next();
      if (result.done === true) throw new Error('it ended');
      for (const { revision } of result.value) expect(revision).toBe(++seen);
    }
  });

  test('delivers everything once and in order, however pushed and read changes overlap', async () => {
    const step = fc.record({
      kind: fc.constantFrom('offer', 'wake', 'skip', 'turn', 'read'),
      count: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.nat(5),
        fc.integer({ min: 1, max: 4 }),
        async (steps, after, size) => {
          const { feeds, write, offer } = createBench(size);
          const reader = feeds.open({ after });
          const all: number[] = [];
          const seen: number[] = [];
          const reading: Promise<unknown>[] = [];
          const read = (): void => {
            reading.push(
              reader.next().then((result) => {
                if (result.done !== true) seen.push(...result.value.map(({ revision }) => revision));
              }),
            );
          };
          let revision = 0;
          for (const { kind, count } of steps) {
            if (kind === 'turn') await nextTurn();
            else if (kind === 'read') read();
            else if (kind === 'skip') revision += count;
            else {
              const revisions = Array.from({ length: count }, () => ++revision);
              all.push(...revisions.filter((one) => one > after));
              (kind === 'offer' ? offer : write)(...revisions);
            }
          }
          while (seen.length < all.length) {
            const before = seen.length;
            read();
            for (let turn = 0; turn < 10 && seen.length === before; turn++) await nextTurn();
            if (seen.length === before) break;
          }
          reader.end();
          await Promise.all(reading);
          expect(seen).toEqual(all);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a read may return a thenable that is no promise', async () => {
  const read = { then: (resolve: (changes: readonly Change[]) => void): void => resolve([changeAt(2)]) };
  const source = createPagedFeeds({ read: () => read as never }).open({ after: 1, wake: () => undefined });
  expect(source.take()).toBeUndefined();
  await nextTurn();
  expect(source.take()).toEqual([changeAt(2)]);
});

test('feeds need a function that reads', () => {
  expect(() => createPagedFeeds({} as never)).toThrow(new TypeError('createPagedFeeds: read must be a function'));
});
