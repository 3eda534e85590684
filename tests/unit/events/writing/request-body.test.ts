import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { bench, event, path, type Bench } from '../bench.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A bench with a store of which each write takes 2 ms of the event loop, and the number of writes. */
function slowBench(wrap: (store: EventStore) => Partial<EventStore> = () => ({})): {
  made: Bench;
  writes: () => number;
} {
  let writes = 0;
  let advance = (): void => undefined;
  const timed = (method: EventStore['replace']): EventStore['replace'] =>
    Object.assign<EventStore['replace'], Pick<EventStore['replace'], 'sync'>>(
      (...args) => {
        advance();
        return method(...args);
      },
      {
        sync(...args) {
          advance();
          if (!method.sync) throw new Error('the memory store writes synchronously');
          return method.sync(...args);
        },
      },
    );
  const made = bench({}, (store) => ({
    ...store,
    create: timed(store.create as EventStore['replace']) as EventStore['create'],
    replace: timed(store.replace),
    ...wrap(store),
  }));
  advance = () => {
    writes += 1;
    made.clock.advance(2);
  };
  return { made, writes: () => writes };
}

/** How many writes each turn of the event loop makes, until there are `count`. */
async function writesPerTurn(writes: () => number, count: number): Promise<number[]> {
  const turns: number[] = [];
  let before = writes();
  while (writes() < count) {
    await nextTurn();
    if (writes() > before) turns.push(writes() - before);
    before = writes();
  }
  return turns;
}

const applied = (label: string): unknown => ({
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name: 'a', labels: { [label]: 'y' } },
});

describe('requests whose bodies become complete together', () => {
  test.each([
    // YAML first: its reader is loaded for these requests.
    ['application/yaml', stringify],
    ['application/json', JSON.stringify],
  ] as const)('work for 5 ms in a turn of the event loop: creates in %s', async (type, write) => {
    const { made, writes } = slowBench();
    let complete = (): void => undefined;
    const completed = new Promise<void>((resolve) => (complete = resolve));
    const responses = Array.from({ length: 12 }, async (_, index) =>
      made.events.handle({
        method: 'POST',
        url: path(),
        headers: { 'content-type': type, 'content-length': '400' },
        body: () => completed.then(() => write(event(`e-${index}`))),
      }),
    );
    await nextTurn();
    await nextTurn();
    expect(writes()).toBe(0);
    complete();
    const turns = await writesPerTurn(writes, 12);
    expect(Math.max(...turns)).toBe(3);
    expect((await Promise.all(responses)).map((response) => response?.status)).toEqual(Array(12).fill(201));
  });

  test('work for 5 ms in a turn of the event loop, and do not conflict: applies to one event', async () => {
    const { made, writes } = slowBench();
    await made.create('a');
    let complete = (): void => undefined;
    const completed = new Promise<void>((resolve) => (complete = resolve));
    const responses = Array.from({ length: 12 }, async (_, index) =>
      made.events.handle({
        method: 'PATCH',
        url: path(`/a?fieldManager=m${index}`),
        headers: { 'content-type': 'application/apply-patch+yaml', 'content-length': '400' },
        body: () => completed.then(() => JSON.stringify(applied(`x${index}`))),
      }),
    );
    for (let turn = 0; turn < 30; turn += 1) await nextTurn();
    complete();
    const turns = await writesPerTurn(writes, 13);
    expect(Math.max(...turns)).toBe(3);
    expect((await Promise.all(responses)).map((response) => response?.status)).toEqual(Array(12).fill(200));
    expect(writes()).toBe(13);
  });

  test('work for 5 ms in a turn of the event loop: patches of events that a store reads together', async () => {
    let complete = (): void => undefined;
    const completed = new Promise<void>((resolve) => (complete = resolve));
    const { made, writes } = slowBench((store) => ({
      get: (key, options) => completed.then(() => store.get(key, options)),
    }));
    for (let index = 0; index < 12; index += 1) await made.create(`e-${index}`);
    const responses = Array.from({ length: 12 }, (_, index) =>
      made.ask(`PATCH ${path(`/e-${index}`)}`, {
        json: { metadata: { labels: { app: 'web' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      }),
    );
    for (let turn = 0; turn < 30; turn += 1) await nextTurn();
    expect(writes()).toBe(12);
    complete();
    const turns = await writesPerTurn(writes, 24);
    expect(Math.max(...turns)).toBe(3);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});
