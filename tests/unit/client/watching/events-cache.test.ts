import { describe, expect, it, onTestFinished } from 'vitest';
import { statusError } from '../../../../src/client/contract/errors.js';
import {
  createEventsCache,
  type EventsCache,
  type EventsCacheOptions,
} from '../../../../src/client/watching/events-cache.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { passOn, settle } from './bench.js';
import { modelServer, type ModelServer } from './model-server.js';

interface CacheBench {
  readonly cache: EventsCache;
  readonly observed: Observation[];
  pass(ms: number): Promise<void>;
}

async function cacheOf(server: ModelServer, options: Partial<EventsCacheOptions> = {}): Promise<CacheBench> {
  const clock = fakeClock();
  const observed: Observation[] = [];
  const observe = (observation: Observation): void => void observed.push(observation);
  const cache = createEventsCache({ client: server.client, clock, observe, ...options });
  onTestFinished(() => cache.close());
  await settle();
  return { cache, observed, pass: (ms) => passOn(clock, ms) };
}

const names = (events: readonly { readonly metadata: { readonly name?: string | undefined } }[]): string[] =>
  events.map(({ metadata }) => metadata.name ?? '').sort();

describe('A cache of events', () => {
  it.each(['known', 'refused', 'ignored'] as const)('is synced where WatchList is %s', async (watchList) => {
    const server = modelServer();
    server.watchList = watchList;
    server.put('a');
    server.put('b');
    const { cache, pass } = await cacheOf(server);
    await pass(watchList === 'ignored' ? 11_000 : 1);
    await cache.synced;
    expect(names(cache.list())).toEqual(['a', 'b']);
    server.put('c');
    server.remove('a');
    await settle();
    expect([names(cache.list('shop')), cache.list('other'), cache.size()]).toEqual([['b', 'c'], [], 2]);
    expect(cache.get({ namespace: 'shop', name: 'c' })?.metadata.resourceVersion).toBe('103');
    expect(cache.get({ namespace: 'shop', name: 'a' })).toBeUndefined();
  });

  it.each([true, false])(
    'calls a handler once for each event, whenever it is registered (WatchList: %s)',
    async (watchList) => {
      const server = modelServer();
      for (const name of 'abcdefgh') server.put(name);
      for (let microtasks = 0; microtasks < 30; microtasks++) {
        const cache = createEventsCache({ client: server.client, clock: fakeClock(), watchList });
        onTestFinished(() => cache.close());
        const seen: string[] = [];
        cache.on('added', async ({ metadata }) => {
          if (metadata.name !== 'b') return;
          for (let left = microtasks; left > 0; left--) await Promise.resolve();
          cache.on('added', (event) => seen.push(event.metadata.name ?? ''));
        });
        await cache.synced;
        await settle();
        expect([microtasks, ...seen.sort()]).toEqual([microtasks, ...'abcdefgh']);
      }
    },
  );

  it('finds events by the values of its indexers', async () => {
    const server = modelServer();
    server.put('a', 'red blue');
    server.put('b', 'red');
    const indexers = {
      colour: ({ note = '' }) => note.split(' '),
      broken: (): string => {
        throw new Error('no');
      },
    };
    const { cache, observed } = await cacheOf(server, { indexers });
    await cache.synced;
    expect([names(cache.byIndex('colour', 'red')), names(cache.byIndex('colour', 'blue'))]).toEqual([
      ['a', 'b'],
      ['a'],
    ]);
    server.put('a', 'green');
    server.remove('b');
    await settle();
    expect(['red', 'blue', 'green'].map((colour) => names(cache.byIndex('colour', colour)))).toEqual([[], [], ['a']]);
    expect(cache.byIndex('broken', 'x')).toEqual([]);
    expect(observed[0]).toMatchObject({ type: 'error', where: 'createEventsCache: indexer broken' });
    expect(() => cache.byIndex('size', '1')).toThrow('byIndex: there is no indexer "size"');
  });

  it('calls handlers in order, first for what exists, and ignores their errors', async () => {
    const server = modelServer();
    server.put('a');
    const { cache, observed } = await cacheOf(server);
    await cache.synced;
    const calls: string[] = [];
    const off = cache.on('added', ({ metadata }) => calls.push(`added ${metadata.name}`));
    cache.on('updated', ({ metadata }, previous) =>
      calls.push(`updated ${metadata.resourceVersion} was ${previous?.metadata.resourceVersion}`),
    );
    cache.on('deleted', ({ metadata }) => {
      calls.push(`deleted ${metadata.name}`);
      throw new Error('a handler failed');
    });
    cache.on('deleted', () => Promise.reject(new Error('a promise failed')));
    server.put('b');
    server.put('b');
    server.remove('b');
    await settle();
    off();
    server.put('c');
    await settle();
    expect(() => cache.on('changed' as never, () => undefined)).toThrow(
      "on: the type must be 'added', 'updated' or 'deleted'",
    );
    expect(() => cache.on('added', undefined as never)).toThrow('on: the handler must be a function');
    expect(calls).toEqual(['added a', 'added b', 'updated 103 was 102', 'deleted b']);
    expect(observed).toHaveLength(2);
    expect(names(cache.list())).toEqual(['a', 'c']);
  });

  it('calls handlers for changes that it missed while the server dropped its history', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { cache, pass } = await cacheOf(server);
    const calls: string[] = [];
    for (const type of ['updated', 'deleted'] as const) {
      cache.on(type, ({ metadata }, previous) => calls.push(`${type} ${metadata.name} ${previous !== undefined}`));
    }
    server.cut();
    server.put('a');
    server.remove('b');
    server.compact();
    await pass(2_000);
    expect(calls).toEqual(['updated a true', 'deleted b true']);
    expect(names(cache.list())).toEqual(['a']);
  });

  it('rejects synced when the server refuses, and when it is closed before', async () => {
    const refusing = modelServer();
    const forbidden = statusError({}, 403);
    refusing.refuse(forbidden, forbidden);
    const { cache, observed } = await cacheOf(refusing);
    await expect(cache.synced).rejects.toBe(forbidden);
    expect(observed).toEqual([{ type: 'error', error: forbidden, where: 'createEventsCache' }]);
    const away = modelServer();
    away.down = true;
    const closed = (await cacheOf(away)).cache;
    await closed.close();
    await closed.close();
    await expect(closed.synced).rejects.toThrow('the cache was closed before it was complete');
  });

  it('refuses wrong options with all their faults', () => {
    expect(() =>
      createEventsCache({ client: modelServer().client, indexers: { a: 1 }, watchList: 1 } as never),
    ).toThrow('createEventsCache: indexers must be an object of functions; watchList must be true or false');
  });
});
