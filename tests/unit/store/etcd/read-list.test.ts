import { expect, test } from 'vitest';
import { compareBytes } from '../../../../src/store/contract/keys.js';
import type { ListQuery, Position } from '../../../../src/store/contract/event-store.js';
import type { EtcdClient } from '../../../../src/store/etcd/client.js';
import type { KeyValue, RangeRequest } from '../../../../src/store/etcd/connection.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import { readList } from '../../../../src/store/etcd/read-list.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const layout = createLayout('/shop');
const context = { end: Infinity, signal: undefined, outcomeUnknown: false };
const expiresAt = 4_102_444_800_000_000;

/** Events `s/0` and so on, and keys that another program keeps below the prefix. */
function createClient(events: number, strays: readonly string[]) {
  const pair = (key: Uint8Array, value: Uint8Array, index: number): KeyValue => {
    return { key, value, createRevision: index + 2, modRevision: index + 2, version: 1 };
  };
  const text = new TextEncoder();
  const kvs = [
    ...Array.from({ length: events }, (_, index) => {
      const name = String(index);
      return [layout.objectKey({ namespace: 's', name }), layout.value(sampleEvent({ name }), expiresAt)] as const;
    }),
    ...strays.map((name) => [text.encode(`/shop/${name}`), text.encode('theirs')] as const),
  ].map(([key, value], index) => pair(key, value, index));
  let requests = 0;
  const range = async ({ key, rangeEnd = key, limit = 0 }: RangeRequest) => {
    requests += 1;
    const inRange = kvs
      .filter((kv) => compareBytes(kv.key, key) >= 0 && compareBytes(kv.key, rangeEnd) < 0)
      .sort((a, b) => compareBytes(a.key, b.key));
    return { revision: 9_999, kvs: inRange.slice(0, limit), more: inRange.length > limit, count: inRange.length };
  };
  return { client: { range } as unknown as EtcdClient, requests: () => requests };
}

/** The names of all pages. */
async function namesOf(client: EtcdClient, query: ListQuery): Promise<string[]> {
  const names: string[] = [];
  let after: Position | undefined;
  for (let pages = 0; pages < 50; pages++) {
    const page = await readList(client, layout, { ...query, ...(after && { after, at: 9_999 }) }, context);
    names.push(...page.records.map(({ key }) => key.name));
    after = page.next;
    if (after === undefined) return names;
    expect(page.remaining).not.toBe(0);
  }
  throw new Error('the pages do not end');
}

const strays = ['a', 'b', 'c', 's', 's/', 's/0/x', 's/3a', 's-x', 'z'];

test.each([1, 2, 3, 7])('keys of other programs are in no page of %i events, and end none', async (limit) => {
  const { client } = createClient(5, strays);
  const names = ['0', '1', '2', '3', '4'];
  for (const namespace of [undefined, 's']) {
    expect(await namesOf(client, { limit, namespace })).toEqual(names);
    const terms = [{ field: 'metadata.namespace', value: 'default' }];
    expect(await namesOf(client, { limit, namespace, terms })).toHaveLength(5);
  }
});

test('a thousand keys of another program are read in few requests, and searches behind them end', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `config-${index}`);
  const { client, requests } = createClient(3, many);
  expect(await namesOf(client, { limit: 1 })).toEqual(['0', '1', '2']);
  expect(requests()).toBeLessThan(40);
  expect(await namesOf(client, { limit: 1, terms: [{ field: 'reason', value: 'Absent' }] })).toEqual([]);
});
