import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../../src/json/json-source.js';
import type { EventStore, JsonPage, ListQuery } from '../../../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../../../src/store/memory/memory-store.js';
import type { MemoryStoreOptions } from '../../../../../src/store/memory/options.js';
import { fakeClock } from '../../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../../src/testing/sample-event.js';

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

function joined(store: EventStore, query: ListQuery): JsonPage | undefined {
  const ask = store.list.json;
  if (ask === undefined) throw new Error('the store joins nothing');
  const page = ask(query);
  if (page instanceof Promise) throw new Error('the memory store has a page at hand, or none');
  return page;
}

const itemsOf = (page: JsonPage | undefined): unknown[] =>
  JSON.parse(`[${Buffer.concat(page?.pieces.map(jsonBytes) ?? []).toString()}]`) as unknown[];

/** The memory of the pieces that are there as bytes. */
const memoryOf = (page: JsonPage | undefined): ArrayBufferLike[] =>
  page?.pieces.flatMap((piece) => ('writeTo' in piece ? [] : [piece.buffer])) ?? [];

describe('the cache of list JSON', () => {
  test('keeps a list from the second read on, and returns the same bytes to every reader', async () => {
    const store = await filled(300);
    const first = joined(store, { limit: 100 });
    expect(itemsOf(first)).toHaveLength(100);
    expect(memoryOf(first)).toEqual([]);
    const page = joined(store, { limit: 100 });
    expect(itemsOf(page)).toEqual(itemsOf(first));
    expect(memoryOf(page)).toHaveLength(page?.pieces.length ?? 0);
    const again = joined(store, { limit: 100 });
    expect(memoryOf(again)[0]).toBe(memoryOf(page)[0]);
  });

  test('keeps nothing of a first walk, where pages end within a block, and everything of the second', async () => {
    const store = await filled(1000);
    for (const kept of [false, true]) {
      let after: ListQuery['after'];
      do {
        const page = joined(store, { limit: 70, after });
        expect(memoryOf(page).length > 0).toBe(kept);
        expect(page?.pieces.every((piece) => 'writeTo' in piece)).toBe(!kept);
        after = page?.next;
      } while (after !== undefined);
    }
  });

  test('finds a part of the lists that are read in turn where not all of them fit', async () => {
    const store = await filled(600, { listCacheMaxBytes: 150_000 });
    const kept = new Set<ArrayBufferLike>();
    let found = 0;
    for (let turn = 0; turn < 400; turn++) {
      const terms = [{ field: 'regarding.name', value: `pod-${turn % 10}` }];
      const [memory] = memoryOf(joined(store, { limit: 100, terms }));
      if (memory === undefined) continue;
      if (kept.has(memory)) found += 1;
      kept.add(memory);
    }
    expect(found).toBeGreaterThan(100);
    // Without a limit on what a full cache takes in, 40 are put together.
    expect(kept.size).toBeLessThan(30);
  });

  test('keeps lists of one value and of one namespace as well', async () => {
    const store = await filled(100);
    const query = { namespace: 'default', limit: 50, terms: [{ field: 'regarding.name', value: 'pod-3' }] };
    expect(memoryOf(joined(store, query))).toEqual([]);
    expect(itemsOf(joined(store, query))).toHaveLength(10);
    expect(memoryOf(joined(store, query))).toHaveLength(1);
    const elsewhere = { ...query, namespace: 'other' };
    for (let turn = 0; turn < 3; turn++) {
      expect(joined(store, { ...query, limit: 5 })).toBeUndefined();
      expect(joined(store, elsewhere)?.pieces).toEqual([]);
    }
  });

  test('takes no more bytes than the option allows', async () => {
    const all = { limit: 500 };
    for (const [listCacheMaxBytes, kept] of [
      [0, 0],
      [10_000_000, 3],
    ] as const) {
      const store = await filled(300, { listCacheMaxBytes });
      joined(store, all);
      const page = joined(store, all);
      expect(memoryOf(page)).toHaveLength(kept);
      expect(itemsOf(page)).toHaveLength(300);
    }
    const store = await filled(90, { listCacheMaxBytes: 1000 });
    const pages = Array.from({ length: 6 }, () => joined(store, all)).filter((page) => memoryOf(page).length > 0);
    expect(pages.length).toBeGreaterThan(1);
    expect(new Set(pages.flatMap(memoryOf)).size).toBe(pages.length);
    for (const page of pages) expect(itemsOf(page)).toHaveLength(90);
  });

  test('does not keep very large events, which come in pieces of one event; very long lists are read as records', async () => {
    const large = await filled(40, {}, 'x'.repeat(60_000));
    for (let turn = 0; turn < 3; turn++) {
      const page = joined(large, { limit: 100 });
      expect(memoryOf(page)).toEqual([]);
      expect(page?.pieces).toHaveLength(40);
      expect(itemsOf(page)).toHaveLength(40);
    }
    const many = await filled(9000);
    for (let turn = 0; turn < 3; turn++) expect(joined(many, { limit: 9000 })).toBeUndefined();
  });

  test('gives a list that is not kept in pieces of at most 16 KiB', async () => {
    const store = await filled(500, { listCacheMaxBytes: 0 });
    const page = joined(store, { limit: 500 });
    expect(itemsOf(page)).toHaveLength(500);
    expect(page?.pieces.length).toBeGreaterThan(4);
    for (const { byteLength } of page?.pieces ?? []) expect(byteLength).toBeLessThanOrEqual(16_384);
  });

  test('leaves a list of more than 512 events with one value to be read as records', async () => {
    const store = await filled(5120);
    const query = { limit: 1000, terms: [{ field: 'regarding.name', value: 'pod-3' }] };
    expect(itemsOf(joined(store, query))).toHaveLength(512);
    const key = { namespace: 'default', name: 'more' };
    await store.create(key, sampleEvent({ name: 'more', regarding: 'pod-3' }), FOREVER);
    expect(joined(store, query)).toBeUndefined();
  });

  test('leaves lists newest first, or by two terms, to be read as records', async () => {
    const store = await filled(10);
    const terms = ['regarding.name', 'regarding.uid'].map((field) => ({ field, value: 'pod-1' }));
    for (let turn = 0; turn < 3; turn++) {
      expect(joined(store, { limit: 10, order: 'newest-first' })).toBeUndefined();
      expect(joined(store, { limit: 10, terms })).toBeUndefined();
    }
  });
});
