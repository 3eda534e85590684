import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../../../src/store/memory/memory-store.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

const later = { expiresAt: 4_102_444_800_000_000 };
const sample = sampleEvent();
const keyOf = (i: number) => ({ namespace: 'default', name: `event-${String(i).padStart(6, '0')}` });

/** A store, with a function that creates the events of these numbers. */
function createBench() {
  const store = memoryStore({ clock: fakeClock() });
  const write = async (from: number, to: number, reason = 'Usual'): Promise<number> => {
    const event = { ...sample, fields: { ...sample.fields, reason } };
    for (let i = from; i < to; i++) await store.create(keyOf(i), event, later);
    return store.revision();
  };
  return { store, write };
}

/** True when the work was done before the event loop turned. */
async function endsInOneTurn(work: Promise<unknown>): Promise<boolean> {
  let over = false;
  void work.then(() => (over = true));
  for (let i = 0; i < 50; i++) await Promise.resolve();
  return over;
}

describe('one turn of the event loop examines 4,096 events', () => {
  test.each(['key', 'newest-first'] as const)('in a search without an index, by %s, which is a page', async (order) => {
    const { store, write } = createBench();
    const terms = [{ field: 'reason', value: 'Rare' }];
    if (order === 'newest-first') await write(0, 1, 'Rare');
    await write(1, 4096);
    if (order === 'key') await write(4096, 4097, 'Rare');
    const whole = await store.list({ terms, order, limit: 10 });
    expect([whole.records.length, whole.next]).toEqual([1, undefined]);
    await write(order === 'key' ? 0 : 5000, order === 'key' ? 1 : 5001);
    const search = store.list({ terms, order, limit: 10 });
    expect(await endsInOneTurn(search)).toBe(false);
    const { records, next, revision } = await search;
    expect(records).toEqual([]);
    expect(next).toMatchObject(keyOf(order === 'key' ? 4095 : 1));
    expect((await store.list({ terms, order, limit: 10, at: revision, after: next })).records).toHaveLength(1);
  });

  test('that are younger than the revision of a page', async () => {
    const { store, write } = createBench();
    const at = await write(0, 1);
    await write(1, 4096);
    const short = store.list({ at, limit: 5 });
    expect(await endsInOneTurn(short)).toBe(true);
    await write(4096, 4097);
    const long = store.list({ at, limit: 5 });
    expect(await endsInOneTurn(long)).toBe(false);
    for (const page of [await short, await long]) {
      expect(page.records.map(({ key }) => key)).toEqual([keyOf(0)]);
      expect([page.next, page.remaining]).toEqual([undefined, 0]);
    }
  });
});

test('one turn of the event loop reads any number of events that all belong to the page', async () => {
  const { store, write } = createBench();
  await write(0, 5000);
  for (const terms of [[], [{ field: 'regarding.name', value: 'pod-1' }]]) {
    const list = store.list({ terms, limit: 6000 });
    expect(await endsInOneTurn(list)).toBe(true);
    const { records, next } = await list;
    expect([records.length, next]).toEqual([5000, undefined]);
  }
});

describe('a full page before many events that are younger than its revision', () => {
  const left = async (after: readonly number[], younger: number) => {
    const { store, write } = createBench();
    await write(0, 1);
    for (const i of after) await write(i, i + 1);
    const at = await store.revision();
    await write(1, younger);
    const page = await store.list({ at, limit: 1 });
    expect(page.records.map(({ key }) => key)).toEqual([keyOf(0)]);
    const rest = page.next && (await store.list({ at, limit: 9, after: page.next }));
    return { remaining: page.remaining, rest: rest?.records.map(({ key }) => key) };
  };

  test('shows how many events come after them, and can be continued', async () => {
    expect(await left([90_000, 90_001, 90_002], 5000)).toEqual({
      remaining: 3,
      rest: [90_000, 90_001, 90_002].map(keyOf),
    });
  });

  test('is the last one when no event comes after them', async () => {
    expect(await left([], 5000)).toEqual({ remaining: 0, rest: undefined });
  });

  test('leaves out how many events come after them when more than 20,000 changes have followed its revision', async () => {
    const rest = [90_000, 90_001].map(keyOf);
    expect(await left([90_000, 90_001], 20_001)).toEqual({ remaining: 2, rest });
    expect(await left([90_000, 90_001], 20_002)).toEqual({ remaining: undefined, rest });
  });
});

test('a page of a namespace that is to begin after a key of an earlier one begins with the namespace', async () => {
  const { store, write } = createBench();
  await write(0, 2);
  await store.create({ namespace: 'another', name: 'z' }, sample, later);
  const query = { namespace: 'default', limit: 5, after: { namespace: 'another', name: 'a' } };
  expect((await store.list(query)).records.map(({ key }) => key)).toEqual([keyOf(0), keyOf(1)]);
});
