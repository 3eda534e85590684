import { describe, expect, test } from 'vitest';
import type { EventStore, JoinedPage, ListQuery } from '../../../../src/store/contract.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import type { MemoryStoreOptions } from '../../../../src/store/memory/options.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const FOREVER = { expiresAt: 4_102_444_800_000_000 };

async function filled(count: number, options: MemoryStoreOptions = {}, note = 'x'): Promise<EventStore> {
  const store = memoryStore({ clock: fakeClock(), ...options });
  for (let index = 0; index < count; index++) {
    const name = `e${String(index).padStart(4, '0')}`;
    await store.create(
      { namespace: 'default', name },
      sampleEvent({ name, note, regarding: `pod-${index % 10}` }),
      FOREVER,
    );
  }
  return store;
}

function joined(store: EventStore, query: ListQuery): JoinedPage | undefined {
  const ask = store.list.joined;
  if (ask === undefined) throw new Error('the store joins nothing');
  return ask(query);
}

const itemsOf = (page: JoinedPage | undefined): unknown[] =>
  JSON.parse(`[${Buffer.concat(page?.pieces ?? []).toString()}]`) as unknown[];

describe('lists that are joined', () => {
  test('are kept from the second time on, the same bytes for everybody', async () => {
    const store = await filled(300);
    expect(joined(store, { limit: 100 })).toBeUndefined();
    const page = joined(store, { limit: 100 });
    expect(itemsOf(page)).toHaveLength(100);
    const again = joined(store, { limit: 100 });
    expect(again?.pieces.map(({ buffer }) => buffer)).toEqual(page?.pieces.map(({ buffer }) => buffer));
    expect(again?.pieces[0]?.buffer).toBe(page?.pieces[0]?.buffer);
  });

  test('of one value and of a namespace are kept as well', async () => {
    const store = await filled(100);
    const query = { namespace: 'default', limit: 50, terms: [{ field: 'regarding.name', value: 'pod-3' }] };
    expect(joined(store, query)).toBeUndefined();
    expect(itemsOf(joined(store, query))).toHaveLength(10);
    expect(joined(store, { ...query, limit: 5 })).toBeUndefined();
    expect(joined(store, { ...query, namespace: 'other' })).toBeUndefined();
    expect(itemsOf(joined(store, { ...query, namespace: 'other' }))).toEqual([]);
  });

  test('are kept in as many bytes as the option says', async () => {
    const all = { limit: 500 };
    for (const [listCacheMaxBytes, kept] of [
      [0, false],
      [10_000_000, true],
    ] as const) {
      const store = await filled(300, { listCacheMaxBytes });
      joined(store, all);
      expect(joined(store, all) !== undefined).toBe(kept);
    }
    const store = await filled(90, { listCacheMaxBytes: 1000 });
    const pages = Array.from({ length: 6 }, () => joined(store, all)).filter((page) => page !== undefined);
    expect(new Set(pages.map(({ pieces }) => pieces[0]?.buffer)).size).toBe(pages.length);
    for (const page of pages) expect(itemsOf(page)).toHaveLength(90);
  });

  test('are not made of very large events, nor of very many', async () => {
    const large = await filled(40, {}, 'x'.repeat(60_000));
    for (let turn = 0; turn < 3; turn++) expect(joined(large, { limit: 100 })).toBeUndefined();
    const many = await filled(9000);
    for (let turn = 0; turn < 3; turn++) expect(joined(many, { limit: 9000 })).toBeUndefined();
  });

  test('newest first, or by two terms, are left to the records', async () => {
    const store = await filled(10);
    const terms = ['regarding.name', 'regarding.uid'].map((field) => ({ field, value: 'pod-1' }));
    for (let turn = 0; turn < 3; turn++) {
      expect(joined(store, { limit: 10, order: 'newest-first' })).toBeUndefined();
      expect(joined(store, { limit: 10, terms })).toBeUndefined();
    }
  });
});
