import { describe, expect, test } from 'vitest';
import type { ListForm } from '../../../../src/api/representation/serializer.js';
import { yamlWriter } from '../../../../src/api/representation/yaml.js';
import { writeYaml } from '../../../../src/api/yaml/write-yaml.js';

const form = (itemsName: 'items' | 'rows' = 'items', empty: '[]' | 'null' = '[]'): ListForm => ({
  members: [
    ['kind', '"List"'],
    ['apiVersion', '"v1"'],
    ['metadata', '{"resourceVersion":"7"}'],
    ['columnDefinitions', '[{"name":"Name"}]'],
  ],
  itemsName,
  empty,
});
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const whole = (itemsName: string, items: unknown): string =>
  writeYaml({
    kind: 'List',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7' },
    columnDefinitions: [{ name: 'Name' }],
    [itemsName]: items,
  });

async function* inBatches(items: readonly unknown[], count: number): AsyncGenerator<Uint8Array[]> {
  for (let at = 0; at < items.length; at += count) yield items.slice(at, at + count).map(bytes);
}

async function listed(
  given: ListForm,
  items: readonly unknown[],
  count = 10,
): Promise<{ text: string; parts: number }> {
  const body = await yamlWriter.list(given, inBatches(items, count), undefined as never);
  if (body instanceof Uint8Array) return { text: new TextDecoder().decode(body), parts: 1 };
  const decoder = new TextDecoder();
  let text = '';
  let parts = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    parts++;
  }
  return { text, parts };
}

test.each([1, 2_000, 4_000, 20_000])('an object with %i notes is complete as YAML', async (length) => {
  const object = { kind: 'Event', notes: Array.from({ length }, (_, index) => `note ${index}`) };
  const text = new TextDecoder().decode((await yamlWriter.value(bytes(object))) as Uint8Array);
  expect(text === writeYaml(object)).toBe(true);
});

describe('a list as YAML', () => {
  const items = Array.from({ length: 25 }, (_, index) => ({
    name: `a${index}`,
    note: 'ä: #'.repeat(index),
    list: [1, []],
  }));

  test.each(['items', 'rows'] as const)('has its %s in sorted position', async (itemsName) => {
    expect(await listed(form(itemsName), items)).toEqual({ text: whole(itemsName, items), parts: 1 });
    expect(await listed(form(itemsName), ['x', 1, null])).toEqual({ text: whole(itemsName, ['x', 1, null]), parts: 1 });
  });

  test('without items is written as an empty list', async () => {
    expect((await listed(form(), [])).text).toBe(whole('items', []));
    expect((await listed(form('rows', 'null'), [])).text).toBe(whole('rows', null));
  });

  test('that is long is sent in parts, and yields to the event loop in between', async () => {
    const many = Array.from({ length: 400 }, (_, index) => ({ name: `a${index}`, note: 'word '.repeat(200) }));
    let turns = 0;
    let on = true;
    const count = (): void => {
      turns++;
      if (on) setImmediate(count);
    };
    setImmediate(count);
    const { text, parts } = await listed(form(), many, 400);
    on = false;
    expect(text).toBe(whole('items', many));
    expect(parts).toBeGreaterThan(2);
    expect(turns).toBeGreaterThan(10);
  });

  test('is complete where an item has to be written in several turns of the event loop', async () => {
    const long = [
      { name: 'a' },
      { name: 'b', notes: Array.from({ length: 20_000 }, (_, index) => `note ${index}`) },
      1,
    ];
    const { text } = await listed(form(), long);
    expect(text === whole('items', long)).toBe(true);
  });

  test('that is not read to its end ends its source', async () => {
    let left = false;
    async function* source(): AsyncGenerator<Uint8Array[]> {
      try {
        for (;;) yield [bytes({ note: 'word '.repeat(1_000) })];
      } finally {
        left = true;
      }
    }
    const body = (await yamlWriter.list(form(), source(), undefined as never)) as AsyncIterable<Uint8Array>;
    for await (const part of body) if (part.length > 0) break;
    expect(left).toBe(true);
  });
});
