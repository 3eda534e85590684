import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/store/contract.js';
import { storeError } from '../../../src/store/errors.js';
import { nextTurn } from '../../../src/store/next-turn.js';
import { createPagedFeeds } from '../../../src/store/paged-feed.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

function changeAt(revision: number): Change {
  const key = { namespace: 'default', name: `event-${revision}` };
  return { type: 'put', key, revision, record: { key, revision, event: sampleEvent(), expiresAt: 1 } };
}

/** Feeds over a log of changes, read two at a time. */
function createBench(pageSize = 2) {
  const log: Change[] = [];
  let reads = 0;
  let failure: Error | undefined;
  const feeds = createPagedFeeds({
    async read(after) {
      reads++;
      await nextTurn();
      if (failure !== undefined) throw failure;
      return log.filter(({ revision }) => revision > after).slice(0, pageSize);
    },
  });
  return {
    feeds,
    reads: () => reads,
    fail: (error: Error | undefined) => (failure = error),
    write(...revisions: number[]) {
      log.push(...revisions.map(changeAt));
      feeds.wake();
    },
  };
}

const revisionsOf = (result: IteratorResult<readonly Change[]>): number[] | 'end' =>
  result.done === true ? 'end' : result.value.map(({ revision }) => revision);

describe('a paged feed', () => {
  test('reads page by page, only when asked, and waits where nothing is left', async () => {
    const { feeds, write, reads } = createBench();
    write(1, 2, 3);
    const reader = feeds.open({ after: 0 });
    await nextTurn();
    expect(reads()).toBe(0);
    expect(revisionsOf(await reader.next())).toEqual([1, 2]);
    expect(revisionsOf(await reader.next())).toEqual([3]);
    const waiting = reader.next();
    for (let i = 0; i < 5; i++) await nextTurn();
    const quiet = reads();
    for (let i = 0; i < 5; i++) await nextTurn();
    expect(reads()).toBe(quiet);
    write(4);
    expect(revisionsOf(await waiting)).toEqual([4]);
  });

  test('does not miss what is written while it reads', async () => {
    const { feeds, write } = createBench();
    const reader = feeds.open({ after: 0 });
    const first = reader.next();
    write(1);
    expect(revisionsOf(await first)).toEqual([1]);
  });

  test('fails once with what the read failed with, and is over', async () => {
    const { feeds, fail } = createBench();
    fail(storeError('expired', 'too old'));
    const reader = feeds.open({ after: 0 });
    await expect(reader.next()).rejects.toMatchObject({ code: 'expired' });
    expect(revisionsOf(await reader.next())).toBe('end');
    expect(feeds.readers).toBe(0);
  });

  test('ends with its signal, when it is left, and with all', async () => {
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
    feeds.close();
    expect((await Promise.all(waiting)).map(revisionsOf)).toEqual(['end', 'end', 'end']);
    expect(revisionsOf(await feeds.open({ after: 0 }).next())).toBe('end');
    expect(revisionsOf(await feeds.open({ after: 0, signal: AbortSignal.abort() }).next())).toBe('end');
    expect(feeds.readers).toBe(0);
  });

  test('brings everything in order to readers that begin anywhere, whenever they read', async () => {
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
});
