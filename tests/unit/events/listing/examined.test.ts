import { describe, expect, test } from 'vitest';
import { readListOptions } from '../../../../src/api/options/list-options.js';
import { RECORDS, inBatches, readList, type List } from '../../../../src/events/listing/read-list.js';
import { createTimeSlice, PageReader } from '../../../../src/events/listing/read-pages.js';
import { readSelection } from '../../../../src/events/listing/list-query.js';
import type { VerbCall } from '../../../../src/events/request/call.js';
import type { ListMeta } from '../../../../src/model/object-meta.js';
import { JsonPieces, jsonBytes } from '../../../../src/json/json-source.js';
import { deleteEvents } from '../../../../src/events/writing/delete-events.js';
import { listEvents } from '../../../../src/events/reading/list-events.js';
import type { EventStore, ListQuery } from '../../../../src/store/contract/event-store.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { bench, namesOf, path, verbBench } from '../bench.js';

const FAR = Number.MAX_SAFE_INTEGER;

type Bench = ReturnType<typeof verbBench> & { readonly asked: ListQuery[] };

/** A bench with events in its store, on which every look at the clock takes a millisecond. */
async function filled(count: number): Promise<Bench> {
  const asked: ListQuery[] = [];
  const wrap = (store: EventStore): EventStore => ({
    ...store,
    list: (query) => {
      asked.push(query);
      return store.list(query);
    },
  });
  const made = verbBench(wrap);
  for (let index = 0; index < count; index++) {
    const name = `e${String(index).padStart(5, '0')}`;
    await made.store.create({ namespace: 'default', name }, sampleEvent({ name, labels: { app: 'web' } }), {
      expiresAt: FAR,
    });
  }
  let time = 0;
  const dependencies = { ...made.dependencies, clock: { ...made.clock, monotonic: () => time++ } };
  return { ...made, asked, call: (...args) => ({ ...made.call(...args), dependencies }) };
}

/** How many turns the event loop does until the work is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await work();
  over = true;
  return turns;
}

/** A reader of the pages of a list, on a clock that stands still. */
async function pageReader(query: string) {
  const bench = verbBench();
  for (const name of ['e00001', 'e00002', 'e00003']) {
    await bench.store.create({ namespace: 'default', name }, sampleEvent({ name, labels: { app: 'web' } }), {
      expiresAt: FAR,
    });
  }
  const call = bench.call(`GET ${path(query)}`);
  const options = readListOptions(call.query);
  return { bench, reader: new PageReader(call, options, readSelection(call, options), false) };
}

const opened = async (call: VerbCall): Promise<List<EventRecord>> => {
  const options = readListOptions(call.query);
  return readList(call, options, readSelection(call, options), RECORDS);
};

async function records({ batches }: List<EventRecord>): Promise<EventRecord[]> {
  const found: EventRecord[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
}

describe('a list that examines many events', () => {
  test('reads pages that grow while nothing matches', async () => {
    const bench = await filled(2_000);
    const list = await opened(bench.call(`GET ${path()}?limit=1&labelSelector=app%3Dno`));
    expect(await records(list)).toEqual([]);
    expect(bench.asked.map(({ limit }) => limit)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 500, 500, 500]);
    expect(new Set(bench.asked.slice(1).map(({ at }) => at))).toEqual(new Set([Number(list.meta.resourceVersion)]));
  });

  test('reads pages of 500 if the client requests more', async () => {
    const bench = await filled(1_300);
    const list = await opened(bench.call(`GET ${path()}?limit=1200`));
    expect(await records(list)).toHaveLength(1_200);
    expect(bench.asked.map(({ limit }) => limit)).toEqual([500, 500, 200]);
    expect(list.meta).toMatchObject({ remainingItemCount: 100, continue: expect.any(String) as string });
    const rest = await opened(bench.call(`GET ${path()}?limit=1200&continue=${list.meta.continue}`));
    expect((await records(rest)).map(({ key }) => key.name)).toEqual(
      Array.from({ length: 100 }, (_, index) => `e0${1_200 + index}`),
    );
    expect(rest.meta.continue).toBeUndefined();
  });

  test.each(['?labelSelector=app%3Dno', '?labelSelector=app%3Dno&limit=1', '?labelSelector=app', ''])(
    'yields to the event loop: %s',
    async (query) => {
      const bench = await filled(2_000);
      const turns = await turnsOf(async () => records(await opened(bench.call(`GET ${path(query)}`))));
      expect(turns).toBeGreaterThan(1);
    },
  );

  test('yields to the event loop while it is converted', async () => {
    const bench = await filled(400);
    const result = await listEvents({ ...bench.call(`GET ${path('?limit=400')}`), joinsItems: false });
    if (result.kind !== 'list') throw new Error('no list');
    const sizes: number[] = [];
    const turns = await turnsOf(async () => {
      for await (const batch of result.batches) sizes.push(batch.length);
    });
    expect(Math.max(...sizes)).toBe(32);
    expect(turns).toBeGreaterThan(2);
  });

  test('makes no batch without items, and lets others run only when its time is over', async () => {
    const bench = verbBench();
    const call = bench.call(`GET ${path()}`);
    const made = Array.from({ length: 128 }, (_, index): EventRecord => {
      const name = `e${index}`;
      return { key: { namespace: 'default', name }, event: sampleEvent({ name }), revision: 1, expiresAt: FAR };
    });
    const sizes: number[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of inBatches(made, RECORDS, createTimeSlice(call))) {
        sizes.push(batch.length);
        if (sizes.length === 5) bench.clock.advance(5);
      }
    };
    expect(await turnsOf(read)).toBe(0);
    expect(sizes).toEqual([32, 32, 32, 32]);
    expect(await turnsOf(read)).toBe(1);
  });

  test('lets others run before a page when its time is over, and after a page that it filters', async () => {
    const { bench, reader } = await pageReader('');
    const after = { namespace: 'default', name: 'e00001' };
    expect(await turnsOf(() => reader.nextRecords(after, 2))).toBe(0);
    bench.clock.advance(5);
    expect(await turnsOf(() => reader.nextRecords(after, 2))).toBe(1);
    expect(await turnsOf(() => reader.next(after))).toBe(0);
    const filtering = await pageReader('?labelSelector=app');
    expect(await turnsOf(() => filtering.reader.nextRecords(after, 2))).toBe(1);
  });

  test('stops reading once the client has disconnected', async () => {
    const bench = await filled(2_000);
    const left = new AbortController();
    const reason = new Error('the client left');
    const list = await opened(bench.call(`GET ${path()}?labelSelector=app`, left.signal));
    const batches = (list.batches as AsyncIterable<readonly EventRecord[]>)[Symbol.asyncIterator]();
    await batches.next();
    const before = bench.asked.length;
    left.abort(reason);
    await expect(
      (async () => {
        while ((await batches.next()).done !== true);
      })(),
    ).rejects.toBe(reason);
    expect(bench.asked).toHaveLength(before);

    const gone = new AbortController();
    setImmediate(() => gone.abort(reason));
    await expect(opened(bench.call(`GET ${path()}?labelSelector=no&limit=1`, gone.signal))).rejects.toBe(reason);
    expect(bench.asked.length - before).toBeLessThan(12);
  });
});

describe('a list of one namespace whose selector names an event', () => {
  const named = (name: string): string => `fieldSelector=metadata.name%3D${name}`;
  const found = async (bench: Bench, query: string): Promise<[string[], ListMeta]> => {
    const list = await opened(bench.call(`GET ${path()}?${query}`));
    return [(await records(list)).map(({ key }) => key.name), list.meta];
  };

  test.each(['', '&limit=1', '&limit=500'])('examines one event: %s', async (limit) => {
    const bench = await filled(600);
    const [names, meta] = await found(bench, named('e00123') + limit);
    expect(names).toEqual(['e00123']);
    // Nothing can follow, so the list has no continue token.
    expect(meta).toEqual({ resourceVersion: expect.any(String) as string });
    expect(bench.asked.map((query) => query.limit)).toEqual([1]);
  });

  test.each(['a', 'e00123a', 'e0012', 'f'])('is empty if there is no such event: %s', async (name) => {
    const bench = await filled(200);
    expect((await found(bench, named(name)))[0]).toEqual([]);
    expect(bench.asked).toHaveLength(1);
  });

  // Names of core/v1 may have any characters that a path may have.
  test.each([
    ['web-a', ['web-A', 'web-Z', 'web-_', 'web-`', 'web-9\u{10ffff}']],
    ['web-b', ['web-a\u{10ffff}z', 'web-a\u{10ffff}\u{10ffff}', 'web-']],
    ['web-0', ['web-.', 'web--', 'web-']],
  ])('finds it beside names that sort before it: %s', async (name, others) => {
    const bench = await filled(0);
    for (const each of [name, ...others]) {
      await bench.store.create({ namespace: 'default', name: each }, sampleEvent({ name: each }), { expiresAt: FAR });
    }
    expect((await found(bench, named(name)))[0]).toEqual([name]);
    await deleteEvents(bench.call(`DELETE ${path()}?${named(name)}`));
    expect((await found(bench, named(name)))[0]).toEqual([]);
  });

  test('applies the other terms to it', async () => {
    const bench = await filled(3);
    expect((await found(bench, `${named('e00001')}&labelSelector=app%3Dweb`))[0]).toEqual(['e00001']);
    expect((await found(bench, `${named('e00001')}&labelSelector=app%3Dno`))[0]).toEqual([]);
    expect((await found(bench, `${named('e00001')},metadata.name%3De00002`))[0]).toEqual([]);
    expect((await found(bench, `${named('e00001')},metadata.name!%3De00001`))[0]).toEqual([]);
  });

  test('reads it at the requested revision', async () => {
    const bench = await filled(2);
    const before = await bench.store.revision();
    await bench.store.remove({ namespace: 'default', name: 'e00000' });
    expect((await found(bench, named('e00000')))[0]).toEqual([]);
    const at = `&resourceVersion=${before}&resourceVersionMatch=Exact`;
    expect(await found(bench, named('e00000') + at)).toEqual([['e00000'], { resourceVersion: String(before) }]);
  });

  test('lets deletecollection examine one event', async () => {
    const bench = await filled(600);
    await deleteEvents(bench.call(`DELETE ${path()}?${named('e00123')}`));
    expect(bench.asked.map((query) => query.limit)).toEqual([1]);
    expect((await found(bench, named('e00123')))[0]).toEqual([]);
    expect((await found(bench, 'limit=1'))[0]).toEqual(['e00000']);
  });
});

test('the signal of the query is aborted in a store that is still reading when the client disconnects', async () => {
  const reason = new Error('the client left');
  const asked: ListQuery[] = [];
  const { call } = verbBench((store) => ({
    ...store,
    list: (query) => {
      asked.push(query);
      return new Promise((_, reject) => {
        query.signal?.addEventListener('abort', () => reject(query.signal?.reason as Error));
      });
    },
  }));
  const left = new AbortController();
  const list = opened(call(`GET ${path('?labelSelector=app')}`, left.signal));
  expect(asked).toMatchObject([{ aborted: false, signal: { aborted: false } }]);
  left.abort(reason);
  await expect(list).rejects.toBe(reason);
  expect(asked).toMatchObject([{ aborted: true, signal: { aborted: true } }]);
});

describe('large events', () => {
  const MIB = 1_048_576;

  /** A store of so many events that have the given size. */
  function large(count: number, size: number): { readonly store: Pick<EventStore, 'list'>; readonly limits: number[] } {
    const limits: number[] = [];
    const event = { ...sampleEvent({ name: 'x' }), size };
    return {
      limits,
      store: {
        list: (query) => {
          limits.push(query.limit);
          const from = query.after === undefined ? 0 : Number(query.after.name) + 1;
          const found = Array.from({ length: Math.min(query.limit, count - from) }, (_, index): EventRecord => ({
            key: { namespace: 'default', name: String(from + index) },
            revision: 1,
            event,
            expiresAt: FAR,
          }));
          const last = found.at(-1)?.key;
          const more = from + found.length < count;
          return Promise.resolve({ records: found, revision: 7, ...(more && last && { next: last }) });
        },
      },
    };
  }

  function on(store: Pick<EventStore, 'list'>, query: string): Promise<List<EventRecord>> {
    const bench = verbBench();
    const call = bench.call(`GET ${path(query)}`);
    return opened({ ...call, dependencies: { ...bench.dependencies, store: { ...bench.store, ...store } } });
  }

  test('are read in small pages', async () => {
    const { store, limits } = large(600, MIB);
    expect(await records(await on(store, ''))).toHaveLength(600);
    expect(limits.slice(0, 3)).toEqual([500, 16, 16]);
  });

  test('are converted in batches of about 128 KiB', async () => {
    const { batches } = await on(large(10, 60_000).store, '?limit=10');
    const sizes: number[] = [];
    for await (const batch of batches) sizes.push(batch.length);
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  test('come as one batch if they are few and small: of 32 events and 128 KiB, or of more in stored form', async () => {
    const stored = { ...RECORDS, ofJson: (): never => expect.fail('records were asked for') };
    const isWhole = async (count: number, form: typeof RECORDS, bytes = 10): Promise<boolean> => {
      const bench = verbBench();
      const call = bench.call(`GET ${path('?labelSelector=!no')}`);
      const dependencies = { ...bench.dependencies, store: { ...bench.store, ...large(count, bytes).store } };
      const options = readListOptions(call.query);
      const read = { ...call, dependencies };
      return Array.isArray((await readList(read, options, readSelection(read, options), form)).batches);
    };
    expect([await isWhole(32, RECORDS), await isWhole(33, RECORDS)]).toEqual([true, false]);
    expect([await isWhole(4, RECORDS, 32_768), await isWhole(4, RECORDS, 32_769)]).toEqual([true, false]);
    expect([await isWhole(500, stored), await isWhole(5, stored, 131_072)]).toEqual([true, false]);
  });

  test('are counted as many bytes as the page will probably have, once they have more than a mebibyte', async () => {
    const held = async (bytes: number): Promise<number[]> => {
      const bench = verbBench();
      const { limits } = bench.dependencies;
      const found: number[] = [];
      const hold: typeof limits.hold = (count, ...more) => {
        found.push(count);
        return limits.hold(count, ...more);
      };
      const store = { ...bench.store, ...large(700, bytes).store };
      const call = bench.call(`GET ${path('?limit=600')}`);
      await opened({ ...call, dependencies: { ...bench.dependencies, store, limits: { ...limits, hold } } });
      return found;
    };
    expect(await held(2_000)).toEqual([]);
    expect(await held(3_000)).toEqual([600 * 3_000]);
    expect(await held(60_000)).toEqual([32 * MIB]);
  });

  test('end a page early, with a continue token', async () => {
    const { store } = large(100, MIB);
    const list = await on(store, '?limit=80');
    expect(await records(list)).toHaveLength(32);
    // The store does not return how many are left.
    expect(list.meta).not.toHaveProperty('remainingItemCount');
    const rest = await on(store, `?limit=80&continue=${list.meta.continue}`);
    expect((await records(rest))[0]?.key.name).toBe('32');
  });
});

describe('the pages of a store', () => {
  const record = (name: string): EventRecord => ({
    key: { namespace: 'default', name },
    revision: 1,
    event: sampleEvent({ name }),
    expiresAt: FAR,
  });

  test('may come as JSON and as records by turns', async () => {
    let asked = 0;
    const { call } = verbBench((store) => ({
      ...store,
      list: Object.assign((query: ListQuery) => store.list(query), {
        json: (query: ListQuery) => (asked++ % 2 === 0 ? store.list.json?.(query) : undefined),
      }),
    }));
    const events = call(`GET ${path()}`);
    const names = Array.from({ length: 2_200 }, (_, index) => `e${10_000 + index}`);
    for (const name of names) {
      await events.dependencies.store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt: FAR });
    }
    const result = await listEvents({ ...events, joinsItems: true });
    if (result.kind !== 'list') throw new Error('no list');
    const forms: string[] = [];
    const texts: string[] = [];
    for await (const batch of result.batches) {
      forms.push(batch[0] instanceof JsonPieces ? 'JSON' : 'records');
      texts.push(batch.map((item) => Buffer.from(jsonBytes(item)).toString()).join(','));
    }
    const items = JSON.parse(`[${texts.join(',')}]`) as { metadata: { name: string } }[];
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect([forms[0], forms[1], forms.at(-1)]).toEqual(['JSON', 'records', 'JSON']);
  });

  test('may be empty at the end of a list as JSON', async () => {
    const { json, create } = bench({}, (store) => ({
      ...store,
      list: Object.assign((query: ListQuery) => store.list(query), {
        json: (query: ListQuery) => {
          if (query.after !== undefined) return { pieces: [], revision: query.at as number, remaining: 0 };
          const page = store.list.json?.(query);
          if (page instanceof Promise) throw new Error('the memory store has it at once');
          return page && { ...page, next: { namespace: 'default', name: 'z' } };
        },
      }),
    }));
    for (const name of ['a', 'b']) await create(name);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['a', 'b']);
  });

  test('leave no token when the last one is empty', async () => {
    const { call } = verbBench((store) => ({
      ...store,
      list: ({ after }) => {
        if (after !== undefined) return Promise.resolve({ records: [], revision: 7 });
        return Promise.resolve({ records: [record('a')], revision: 7, next: record('a').key });
      },
    }));
    const read = await opened(call(`GET ${path('?limit=3')}`));
    expect((await records(read)).map(({ key }) => key.name)).toEqual(['a']);
    expect(read.meta).toEqual({ resourceVersion: '7' });
  });
});

test('deletecollection yields to the event loop', async () => {
  const bench = await filled(300);
  const turns = await turnsOf(() => deleteEvents(bench.call(`DELETE ${path()}`)));
  expect(turns).toBeGreaterThan(20);
  expect((await bench.store.list({ limit: 1 })).records).toEqual([]);
});
