import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createEventsClient,
  type Event,
  type EventsClient,
  type ListOptions,
  type WatchFrame,
  type WatchOptions,
} from '../../../../src/client.js';
import { connectionError, responseError, statusError } from '../../../../src/client/contract/errors.js';
import type { EventChange } from '../../../../src/client/watching/changes.js';
import { watchEvents } from '../../../../src/client/watching/watch-events.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { countKeepAliveTimers } from '../keep-alive-timers.js';
import { bench, passOn, settle, textOf } from './bench.js';
import { expired, modelServer } from './model-server.js';

const overload = (code: number, seconds: number): Error =>
  statusError({ reason: 'TooManyRequests' }, code, seconds * 1000);

/** A watch that fails before its first frame. */
const failing = (error: Error): AsyncIterable<WatchFrame> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
});

/** The client of a server whose watches fail until `mend` is called. */
function withFailingWatches({ client }: ReturnType<typeof modelServer>, broken: () => AsyncIterable<WatchFrame>) {
  let works = false;
  const watch: EventsClient['watch'] = (options) => (works ? client.watch(options) : broken());
  return { client: { ...client, watch }, mend: () => void (works = true) };
}

/** A watch that yields these frames, and then waits until its signal is aborted. */
async function* sending(frames: readonly WatchFrame[], signal: AbortSignal | undefined): AsyncGenerator<WatchFrame> {
  yield* frames;
  await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

describe('watchEvents', () => {
  it('returns existing events, then every change once and in order', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { news, settle, given } = await bench({}, server);
    expect(news()).toEqual(['added a@101', 'added b@102']);
    server.put('a');
    server.remove('b');
    server.put('c');
    await settle();
    expect(news()).toEqual(['updated a@103', 'deleted b@104', 'added c@105']);
    expect(given.map((change) => 'position' in change && change.position)).toEqual([false, false, '103', '104', '105']);
  });

  it('begins after a resource version, without a list of what exists', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { news, settle } = await bench({ resourceVersion: '101' }, server);
    expect(news()).toEqual(['added b@102']);
    server.put('a');
    server.remove('a');
    await settle();
    expect(news()).toEqual(['updated a@103', 'deleted a@104']);
  });

  it('gives only what is newer than its resource version where the history since then is dropped before it saw any', async () => {
    const server = modelServer();
    server.put('a');
    const { news, pass, settle } = await bench({ resourceVersion: '101' }, server);
    server.cut();
    server.put('b');
    server.compact();
    await pass(1_000);
    expect(news()).toEqual(['added b@102']);
    server.put('a');
    await settle();
    expect(news()).toEqual(['updated a@103']);
  });

  it('begins now with since: now, and still recognises existing events', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { news, settle, pass, given } = await bench({ since: 'now' }, server);
    expect(news()).toEqual([]);
    server.put('a');
    await settle();
    expect(news()).toEqual(['updated a@103']);
    server.remove('b');
    server.compact();
    server.cut();
    await pass(1_000);
    expect(news()).toEqual(['deleted b@102 missed']);
    const metadata = { name: 'b', namespace: 'shop', uid: 'uid-2', resourceVersion: '102' };
    expect(given.at(-1)).toEqual({ type: 'deleted', event: { metadata }, missed: true });
  });

  it('begins now with since: now and without memory, where a list is of one event', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { news, settle, pass } = await bench({ since: 'now', remember: false, namespace: 'shop' }, server);
    expect(news()).toEqual([]);
    server.put('a');
    await settle();
    expect(news()).toEqual(['updated a@103']);
    server.cut();
    server.put('c');
    server.compact();
    await pass(1_000);
    expect(news()).toEqual(['relisted', 'added c@104']);
    expect(server.requests.slice(0, 2)).toEqual(['list', 'watch 102']);
  });

  it('selects the same events in lists and watches', async () => {
    const server = modelServer();
    const selection = { namespace: 'shop', fieldSelector: 'type=Warning', labelSelector: 'app=cart' };
    const asked: unknown[] = [];
    const client: EventsClient = {
      ...server.client,
      list: (options) => (asked.push({ ...options, signal: undefined }), server.client.list(options)),
      watch: (options) => (asked.push({ ...options, signal: undefined }), server.client.watch(options)),
    };
    await bench({ client, ...selection, pageSize: 7, watchList: false }, server);
    await bench({ client, ...selection }, server);
    expect(asked).toEqual([
      { ...selection, pageSize: 7 },
      { ...selection, allowWatchBookmarks: true, resourceVersion: '100' },
      { ...selection, allowWatchBookmarks: true, sendInitialEvents: true },
    ]);
  });

  it('takes only the bookmark with the annotation for the end of the initial events', async () => {
    const server = modelServer();
    const [a, b] = [server.put('a'), server.put('b')];
    const at = (resourceVersion: string, annotations = {}): WatchFrame => ({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion, annotations } },
    });
    const end = { 'k8s.io/initial-events-end': 'true' };
    const frames: WatchFrame[] = [
      { type: 'ADDED', object: a },
      at('101'),
      { type: 'ADDED', object: { ...b, metadata: { ...b.metadata, annotations: end } } },
      at('102', end),
      { type: 'MODIFIED', object: { ...a, metadata: { ...a.metadata, resourceVersion: '103' } } },
    ];
    const client: EventsClient = { ...server.client, watch: ({ signal } = {}) => sending(frames, signal) };
    const { given, news } = await bench({ client }, server);
    expect(news()).toEqual(['added a@101', 'added b@102', 'updated a@103']);
    expect(given.map((change) => 'position' in change && change.position)).toEqual([false, false, '103']);
  });

  it('returns the event before the change with remember: events', async () => {
    const server = modelServer();
    server.put('a');
    const { news, settle, pass } = await bench({ remember: 'events' }, server);
    server.put('a');
    await settle();
    expect(news()).toEqual(['added a@101', 'updated a@102 was @101']);
    server.remove('a');
    server.compact();
    server.cut();
    await pass(1_000);
    expect(news()).toEqual(['deleted a@102 missed was @102']);
  });

  it.each(['known', 'refused', 'ignored'] as const)('begins where the server has WatchList %s', async (watchList) => {
    const server = modelServer();
    server.watchList = watchList;
    server.put('a');
    const { news, pass, settle } = await bench({}, server);
    await pass(11_000);
    expect(news()).toEqual(['added a@101']);
    server.put('b');
    await settle();
    expect(news()).toEqual(['added b@102']);
    expect(server.requests).toEqual(
      {
        known: ['watchlist'],
        refused: ['watchlist', 'list', 'watch 101'],
        ignored: ['watchlist', 'list', 'watch 101'],
      }[watchList],
    );
  });

  it('reads lists of many pages, and detects what is deleted while a list begins again', async () => {
    const server = modelServer();
    server.pageSize = 2;
    for (const name of 'abcdef') server.put(name);
    const changes = watchEvents({ client: server.client, watchList: false });
    const names: string[] = [];
    const take = async (count: number): Promise<void> => {
      for (; count > 0; count--) {
        const { value } = await changes.next();
        names.push(`${value.type} ${value.event.metadata.name}`);
      }
    };
    await take(3);
    server.remove('a');
    server.compact();
    await take(4);
    expect(names.slice(0, 6)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `added ${name}`));
    expect(names[6]).toBe('deleted a');
    await changes.return?.();
  });
});

describe('A watch that is interrupted', () => {
  it.each([
    ['breaks', undefined],
    ['ends', 'end'],
    ['ends with an ERROR frame', statusError({ reason: 'InternalError' }, 500)],
    ['is refused for load', overload(429, 1)],
  ] as const)('continues from the last revision when the connection %s', async (_, how) => {
    const { server, news, settle, pass } = await bench({ watchList: false });
    server.put('a');
    await settle();
    server.cut(how);
    server.put('b');
    await pass(2_000);
    server.put('c');
    await settle();
    expect(news()).toEqual(['added a@101', 'added b@102', 'added c@103']);
    expect(server.requests.filter((request) => request.startsWith('watch'))).toEqual(['watch 100', 'watch 101']);
  });

  it('continues from the last bookmark', async () => {
    const { server, settle, pass } = await bench();
    server.put('a');
    await settle();
    server.bookmark();
    await settle();
    server.cut('end');
    await pass(1_000);
    expect(server.requests.at(-1)).toBe('watch 101');
  });

  it('reads a list after 410, and gives what it missed as changes', async () => {
    const server = modelServer();
    for (const name of 'abcd') server.put(name);
    const { news, pass } = await bench({}, server);
    news();
    server.cut();
    server.put('a');
    server.remove('b');
    server.remove('c');
    server.put('c');
    server.put('e');
    server.compact();
    await pass(2_000);
    expect(news().sort()).toEqual(
      ['updated a@105', 'deleted b@102 missed', 'deleted c@103 missed', 'added c@108', 'added e@109'].sort(),
    );
  });

  it('treats an ERROR frame with 410 like a 410 response', async () => {
    const { server, news, settle, pass } = await bench();
    server.put('a');
    await settle();
    server.cut(expired());
    server.put('b');
    await pass(1_000);
    expect(news()).toEqual(['added a@101', 'added b@102']);
  });

  it.each(['versions', 'events', false] as const)(
    'returns every deletion where a server deletes several events at one revision, with remember: %s',
    async (remember) => {
      const server = modelServer();
      for (const name of ['a', 'b', 'c']) server.put(name);
      const { given, settle } = await bench({ remember }, server);
      server.removeTogether('b', 'c');
      server.put('d');
      await settle();
      expect(given.slice(3).map((change) => textOf(change).split(' was ')[0])).toEqual([
        'deleted b@104',
        'deleted c@104',
        'added d@105',
      ]);
      expect(server.requests).toEqual(['watchlist']);
    },
  );

  it.each(['versions', false] as const)(
    'returns every deletion once where its connection is lost between two at one revision, with remember: %s',
    async (remember) => {
      const server = modelServer();
      for (const name of ['a', 'b', 'c']) server.put(name);
      const clock = fakeClock();
      const changes = watchEvents({ client: server.client, clock, remember });
      onTestFinished(() => void changes.return?.());
      const news: string[] = [];
      const take = async (count: number): Promise<void> => {
        for (; count > 0; count--) void changes.next().then(({ value }) => news.push(textOf(value as EventChange)));
        await passOn(clock, 1_000);
      };
      await take(4);
      server.removeTogether('a', 'b', 'c');
      await settle();
      server.cut();
      await take(2);
      server.put('d');
      await take(1);
      expect(news.slice(3)).toEqual(['deleted a@104', 'deleted b@104', 'deleted c@104', 'added d@105']);
      expect(server.requests.filter((request) => request !== 'list')).toEqual(['watchlist', 'watch 103']);
    },
  );

  it('returns a notice instead of a difference with remember: false', async () => {
    const server = modelServer();
    server.put('a');
    const all = await bench({ remember: false }, server);
    const recent = await bench({ remember: false, resourceVersion: '101' }, server);
    expect([all.news(), recent.news()]).toEqual([['added a@101'], []]);
    server.cut();
    server.put('b');
    server.compact();
    await all.pass(1_000);
    await recent.pass(1_000);
    expect(all.news()).toEqual(['relisted', 'added a@101', 'added b@102']);
    expect(recent.news()).toEqual(['relisted', 'added b@102']);
  });

  it('returns a notice that earlier events are void when a list begins again with remember: false', async () => {
    const server = modelServer();
    server.pageSize = 1;
    server.put('a');
    server.put('b');
    server.refuse(undefined, connectionError('cut', true));
    const { news, pass } = await bench({ remember: false, watchList: false }, server);
    await pass(1_000);
    expect(news()).toEqual(['added a@101', 'relisted', 'added a@101', 'added b@102']);
  });

  it('compares lists where the revision of the server went backwards', async () => {
    const { server, news, settle, pass } = await bench();
    server.put('a');
    const backup = new Map(server.events);
    server.put('b');
    server.put('a');
    await settle();
    news();
    server.down = true;
    server.cut();
    await pass(500);
    server.restore(backup, 101);
    server.put('c');
    server.down = false;
    await pass(5_000);
    expect(news().sort()).toEqual(['added c@102', 'deleted b@102 missed', 'updated a@101']);
    server.put('c');
    await settle();
    expect(news()).toEqual(['updated c@103']);
  });

  it.each([
    ['every event whose revision was used again, where only versions are remembered', 'versions', ['a@101', 'b@102']],
    ['what a revision that was used again has changed, where events are remembered', 'events', ['a@101 was @101']],
  ] as const)('gives as updated, after a restored backup, %s', async (_, remember, updated) => {
    const server = modelServer();
    const lost = server.put('a', 'lost with the restore');
    const kept = server.put('b');
    server.put('c');
    const { news, settle, pass } = await bench({ remember, watchList: false }, server);
    news();
    // The order of members has no meaning: lists leave out the kind, and the client adds it at the end.
    const { kind, ...rest } = kept;
    const restored = new Map([
      ['a', { ...lost, note: 'written after the restore' }],
      ['b', { ...rest, kind }],
    ]);
    server.restore(restored, 102);
    server.cut();
    await pass(1_000);
    expect(news().filter((text) => text.startsWith('updated'))).toEqual(updated.map((text) => `updated ${text}`));
    // From then on an equal revision is the same version again.
    server.compact();
    server.cut(expired());
    await pass(1_000);
    await settle();
    expect(news()).toEqual([]);
  });

  it('gives an event as updated, after a restored backup, that is nested too deeply to be compared', async () => {
    const server = modelServer();
    const deep = (): string => JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const nested = { ...server.put('a'), note: deep() };
    const kept = server.put('b');
    server.restore(
      new Map([
        ['a', nested],
        ['b', kept],
      ]),
      102,
    );
    server.put('c');
    const { news, pass } = await bench({ remember: 'events', watchList: false }, server);
    news();
    server.restore(
      new Map([
        ['a', { ...nested, note: deep() }],
        ['b', kept],
      ]),
      102,
    );
    server.cut();
    await pass(5_000);
    expect(news()).toEqual(['updated a@101 was @101', 'deleted c@103 missed was @103']);
  });

  it.each([false, true])(
    'notices a backup that is restored between a 410 and the list, WatchList: %s',
    async (watchList) => {
      const server = modelServer();
      const lost = server.put('a', 'lost with the restore');
      server.put('b');
      server.put('c');
      const { news, pass } = await bench({ remember: 'events', watchList }, server);
      news();
      server.cut(expired());
      server.restore(new Map([['a', { ...lost, note: 'written after the restore' }]]), 102);
      await pass(1_000);
      expect(news()).toEqual([
        'updated a@101 was @101',
        'deleted b@102 missed was @102',
        'deleted c@103 missed was @103',
      ]);
      server.put('d');
      await pass(1_000);
      expect(news()).toEqual(['added d@103']);
    },
  );

  it('gives all that a restored server has to a watch that began at a later revision', async () => {
    const server = modelServer();
    server.put('a');
    server.put('b');
    const { news, settle, pass } = await bench({ resourceVersion: '500' }, server);
    await pass(1_000);
    expect(news()).toEqual(['added a@101', 'added b@102']);
    server.put('a');
    await settle();
    expect(news()).toEqual(['updated a@103']);
  });

  it('does not wait in silence for a server that was restored while the connection stayed', async () => {
    const { server, news, settle, pass } = await bench();
    for (const name of 'abc') server.put(name);
    await settle();
    news();
    server.restore(new Map(), 50);
    await pass(35_000);
    expect(news().sort()).toEqual(['deleted a@101 missed', 'deleted b@102 missed', 'deleted c@103 missed']);
  });

  it.each(['MODIFIED', 'BOOKMARK'] as const)(
    'reads a list where a connection that stayed sends a %s that is older than its position',
    async (type) => {
      for (const [remember, expected] of [
        ['versions', ['updated a@101', 'added c@52', 'deleted b@102 missed']],
        [false, ['relisted', 'added a@101', 'added c@52']],
      ] as const) {
        const server = modelServer();
        const kept = server.put('a');
        server.put('b');
        let watches = 0;
        const watch: EventsClient['watch'] = (options = {}) => {
          if (watches++ > 0) return server.client.watch(options);
          server.restore(new Map([['a', kept]]), 50);
          return sending([{ type, object: server.put('c') }], options.signal);
        };
        const client = { ...server.client, watch };
        const { news, pass } = await bench({ client, remember, watchList: false }, server);
        server.put('c');
        await pass(1_000);
        expect(news().slice(2)).toEqual(expected);
      }
    },
  );

  it('reads a list where the server has not reached its position, which is no reason for other refusals', async () => {
    const refusedFor = (reason: string): Error =>
      statusError({ reason: 'Timeout', details: { causes: [{ reason, message: '', field: '' }] } }, 504);
    const { server, pass } = await bench();
    server.refuse(refusedFor('FieldValueInvalid'));
    server.cut('end');
    await pass(1_000);
    server.refuse(refusedFor('ResourceVersionTooLarge'));
    server.cut('end');
    await pass(3_000);
    expect(server.requests).toEqual(['watchlist', 'watch 100', 'list', 'watch 100', 'watch 100', 'watchlist']);
  });

  it('closes a connection that is silent, and misses nothing', async () => {
    const { server, news, settle, pass } = await bench({ silenceMs: 20_000 });
    server.put('a');
    await settle();
    server.lose();
    server.put('b');
    await pass(19_000);
    expect(news()).toEqual(['added a@101']);
    await pass(2_000);
    expect(news()).toEqual(['added b@102']);
    expect(server.watches()).toBe(1);
  });

  it('connects again at once after each watch that the server ends after a while without news', async () => {
    const { server, pass } = await bench();
    for (let count = 0; count < 8; count++) {
      await pass(15_000);
      server.cut('end');
      await pass(250);
      expect(server.watches()).toBe(1);
    }
  });

  it('lists less and less often where each watch sends a change and is then refused with 410', async () => {
    const { server, clock } = await bench();
    const lists = (): number => server.requests.filter((request) => request === 'watchlist').length;
    for (let count = 0; count < 600; count++) {
      server.put('a', `${count}`);
      await settle();
      server.cut(expired());
      await passOn(clock, 100);
    }
    expect(lists()).toBeLessThan(20);
    // After a watch that lasted, but was not silent for too long, the next list comes soon again.
    await passOn(clock, 25_000);
    const before = lists();
    server.cut(expired());
    await passOn(clock, 250);
    expect(lists()).toBe(before + 1);
  });

  it('waits longer where the bookmarks of the server come less often', async () => {
    const { server, pass } = await bench({ silenceMs: 40_000 });
    const watches = (): number => server.requests.filter((request) => /^watch/.test(request)).length;
    await pass(39_000);
    expect(watches()).toBe(1);
    // Bookmarks come every minute: one connection is given up before the first, and then none.
    await pass(21_000);
    server.bookmark();
    const before = watches();
    for (let minute = 0; minute < 10; minute++) {
      await pass(60_000);
      server.bookmark();
    }
    expect(watches() - before).toBeLessThanOrEqual(1);
  });

  it('waits longer and longer for a server that sends nothing', async () => {
    const { server, pass } = await bench({ silenceMs: 10_000 });
    const watches = (): number => server.requests.filter((request) => /^watch/.test(request)).length;
    await pass(3_600_000);
    expect(watches()).toBeLessThan(20);
    await pass(3_600_000);
    expect(watches()).toBeLessThan(33);
  });

  it('backs off while the server is unavailable, reports it, and begins again with short pauses', async () => {
    const { server, observed, settle, pass, news } = await bench();
    server.put('a');
    await settle();
    server.down = true;
    server.cut();
    const before = server.requests.length;
    await pass(60_000);
    const tries = server.requests.length - before;
    expect(tries).toBeGreaterThan(6);
    expect(tries).toBeLessThan(25);
    expect(observed).toEqual([expect.objectContaining({ type: 'error', where: 'watchEvents' })]);
    server.down = false;
    server.put('b');
    await pass(11_000);
    expect(news()).toEqual(['added a@101', 'added b@102']);
    expect(observed.at(-1)).toMatchObject({ type: 'recovered', where: 'watchEvents' });
    server.cut('end');
    server.put('c');
    await pass(500);
    expect(news()).toEqual(['added c@103']);
  });

  it.each([
    ['breaks', () => connectionError('cut', true)],
    ['is refused', () => statusError({ reason: 'Forbidden' }, 403)],
  ])('reports a watch that %s again and again although lists work, and that a quiet one works', async (_, fault) => {
    const server = modelServer();
    const { client, mend } = withFailingWatches(server, () => failing(fault()));
    const { observed, pass, settle } = await bench({ client, watchList: false }, server);
    await pass(60_000);
    expect(observed).toEqual([expect.objectContaining({ type: 'error', where: 'watchEvents' })]);
    mend();
    await pass(11_000);
    server.cut('end');
    await settle();
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
  });

  it('reports a watch whose response never begins although lists work', async () => {
    const clock = fakeClock();
    const empty = JSON.stringify({ kind: 'EventList', metadata: { resourceVersion: '9' }, items: [] });
    const client = createEventsClient({
      clock,
      transport: ({ url }) =>
        url.includes('watch=')
          ? new Promise(() => undefined)
          : Promise.resolve({ status: 200, headers: {}, body: empty }),
    });
    const observed: Observation[] = [];
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const observe = (observation: Observation): void => void observed.push(observation);
    const changes = watchEvents({ client, clock, observe, watchList: false, signal: stopping.signal });
    void changes.next();
    await passOn(clock, 300_000);
    expect(observed).toEqual([expect.objectContaining({ type: 'error', where: 'watchEvents' })]);
  });

  it('reports a list that fails again and again after its first page', async () => {
    const server = modelServer();
    server.pageSize = 1;
    server.put('a');
    server.put('b');
    const overloaded = statusError({ reason: 'InternalError' }, 500);
    server.refuse(...Array.from({ length: 20 }, () => [undefined, overloaded]).flat());
    const { observed, pass, news } = await bench({ watchList: false }, server);
    await pass(60_000);
    expect(observed.map(({ type }) => type)).toEqual(['error']);
    await pass(300_000);
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
    expect(news()).toEqual(['added a@101', 'added b@102']);
  });

  it('reports a WatchList that breaks again and again after its first event', async () => {
    const server = modelServer();
    server.put('a');
    async function* broken(): AsyncGenerator<WatchFrame> {
      yield { type: 'ADDED', object: server.events.get('a') ?? { metadata: {} } };
      throw connectionError('cut', true);
    }
    const { client, mend } = withFailingWatches(server, broken);
    const { observed, pass, news } = await bench({ client }, server);
    await pass(60_000);
    expect(observed.map(({ type }) => type)).toEqual(['error']);
    mend();
    await pass(11_000);
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
    expect(news()).toEqual(['added a@101']);
  });

  it('reads lists where it cannot read the events of a WatchList', async () => {
    const server = modelServer();
    server.put('a');
    const { watch } = server.client;
    const client: EventsClient = {
      ...server.client,
      watch: (options) => (options?.sendInitialEvents ? failing(responseError('too long', 200)) : watch(options)),
    };
    const { settle, news } = await bench({ client }, server);
    server.put('b');
    await settle();
    expect(news()).toEqual(['added a@101', 'added b@102']);
  });

  it('reports a watch that it cannot read once, however many lists it reads instead', async () => {
    const server = modelServer();
    const { client, mend } = withFailingWatches(server, () => failing(responseError('an invalid frame', 200)));
    const { observed, pass } = await bench({ client, watchList: false }, server);
    await pass(300_000);
    expect(server.requests.filter((request) => request === 'list').length).toBeGreaterThan(20);
    expect(observed.map(({ type }) => type)).toEqual(['error']);
    mend();
    await pass(11_000);
    server.bookmark();
    await pass(1_000);
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
  });

  it.each([
    ['lists', false],
    ['a WatchList', true],
  ])('reports %s that gets 410 again and again', async (_, watchList) => {
    const server = modelServer();
    server.refuse(...Array.from({ length: 10 }, expired));
    const { observed, pass, news } = await bench({ watchList }, server);
    server.put('a');
    await pass(15_000);
    expect(observed.map(({ type }) => type)).toEqual(['error']);
    await pass(100_000);
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
    expect(news()).toEqual(['added a@101']);
  });

  it('reports watches that 410 ends again and again, although the lists between them work', async () => {
    const server = modelServer();
    const { client, mend } = withFailingWatches(server, () => failing(expired()));
    const { observed, pass } = await bench({ client, watchList: false }, server);
    await pass(60_000);
    expect(observed.map(({ type }) => type)).toEqual(['error']);
    mend();
    server.put('a');
    await pass(11_000);
    server.put('b');
    await pass(1_000);
    expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
  });

  it('does not report connections that are lost after a while without news', async () => {
    const { server, observed, pass } = await bench();
    for (let count = 0; count < 5; count++) {
      await pass(15_000);
      server.cut();
    }
    await pass(1_000);
    expect(observed).toEqual([]);
  });

  it('tries again a watch that is refused after its revision was compared', async () => {
    const server = modelServer();
    server.refuse(undefined, statusError({ reason: 'Forbidden' }, 403));
    const { news, pass } = await bench({ resourceVersion: '100' }, server);
    server.put('a');
    await pass(1_000);
    expect(news()).toEqual(['added a@101']);
  });

  it.each([429, 503])('waits as long as a %i requests', async (code) => {
    const { server, settle, pass } = await bench();
    await settle();
    server.refuse(overload(code, 7));
    server.cut('end');
    await pass(6_500);
    const refused = server.requests.length;
    await pass(500);
    expect(server.requests.length).toBe(refused);
    await pass(1_000);
    expect(server.requests.length).toBeGreaterThan(refused);
  });

  it('reads a list when the server refuses three times to continue', async () => {
    const { server, settle, pass, news } = await bench();
    server.put('a');
    await settle();
    const invalid = statusError({ reason: 'InternalError', message: 'strconv.ParseUint' }, 500);
    server.refuse(invalid, undefined, invalid, undefined, invalid);
    server.put('b');
    server.cut('end');
    server.remove('b');
    await pass(5_000);
    expect(news().slice(0, 1)).toEqual(['added a@101']);
    expect(server.requests.filter((request) => request === 'watchlist')).toHaveLength(2);
  });

  it('continues from its resourceVersion after a refusal with 403', async () => {
    const { server, settle, pass, news } = await bench({ resourceVersion: '100' });
    const forbidden = statusError({ reason: 'Forbidden' }, 403);
    await settle();
    server.cut(connectionError('cut', true));
    server.refuse(forbidden);
    server.put('a');
    await pass(1_000);
    expect(news()).toEqual(['added a@101']);
  });
});

describe('A server that sends no resourceVersion', () => {
  /** Its client. A watch without a revision sends what comes after it was opened. */
  function unversioned() {
    const server = modelServer();
    const bare = (event: Event): Event => ({ metadata: { ...event.metadata, resourceVersion: undefined } });
    const list = (options?: ListOptions) => {
      async function* pages() {
        for await (const page of server.client.list(options).pages()) {
          yield { ...page, items: page.items.map(bare), resourceVersion: '' };
        }
      }
      return { ...server.client.list(options), pages };
    };
    async function* watch(options?: WatchOptions): AsyncGenerator<WatchFrame> {
      const resourceVersion = String(server.revision());
      for await (const { type, object } of server.client.watch({ ...options, resourceVersion })) {
        if (type !== 'BOOKMARK') yield { type, object: bare(object) };
      }
    }
    return { server, client: { ...server.client, list, watch } };
  }

  it.each([
    ['', undefined, ['added b@undefined']],
    [', and never misses a change silently', false as const, ['relisted', 'added a@undefined', 'added b@undefined']],
  ])('is followed by its lists, and the error says what is missing%s', async (_also, remember, expected) => {
    const { server, client } = unversioned();
    server.put('a');
    const { news, pass, observed } = await bench({ client, remember, watchList: false }, server);
    expect(news()).toEqual(['added a@undefined']);
    server.put('b');
    await pass(1_000);
    // Redundant updates are better than contents that stay wrong.
    expect(news().filter((text) => !text.startsWith('updated'))).toEqual(expected);
    server.put('c');
    await pass(1_000);
    const message = 'the server sent the event shop/c without a resourceVersion: only lists show what changed';
    expect(observed).toContainEqual(
      expect.objectContaining({ type: 'error', error: expect.objectContaining({ message }) as Error }),
    );
  });
});

describe('The iteration', () => {
  it.each([301, 307, 400, 401, 403, 404, 405, 422])('throws %i when nothing has worked yet', async (code) => {
    const server = modelServer();
    const refusal = statusError({ message: 'no' }, code);
    server.refuse(refusal, refusal, refusal);
    const { ended } = await bench({}, server);
    await expect(ended).rejects.toBe(refusal);
    expect(server.watches()).toBe(0);
  });

  it('tries again what is refused after it has worked', async () => {
    const { server, news, settle, pass } = await bench();
    await settle();
    server.refuse(statusError({}, 403), statusError({}, 401));
    server.cut('end');
    server.put('a');
    await pass(2_000);
    expect(news()).toEqual(['added a@101']);
  });

  it('waits for a server that is not there yet', async () => {
    const server = modelServer();
    server.put('a');
    for (const watchList of [true, false]) {
      server.down = true;
      const { news, pass, observed } = await bench({ watchList }, server);
      await pass(3_000);
      server.down = false;
      await pass(10_000);
      expect(news()).toEqual(['added a@101']);
      expect(observed.map(({ type }) => type)).toEqual(['error', 'recovered']);
    }
  });

  it('does not keep the process alive after an abort, where nothing more is requested of it', async () => {
    const server = modelServer();
    server.put('a');
    const timers = countKeepAliveTimers();
    const stopping = new AbortController();
    const changes = watchEvents({ client: server.client, signal: stopping.signal });
    expect(await changes.next()).toMatchObject({ value: { type: 'added' } });
    expect(timers()).toBeGreaterThan(0);
    stopping.abort();
    expect(timers()).toBe(0);
  });

  it('ends without an error when the signal is aborted, whatever it waits for', async () => {
    for (const prepare of [() => undefined, (server: ReturnType<typeof modelServer>) => (server.down = true)]) {
      const server = modelServer();
      const { stop, settle } = await bench({}, server);
      prepare(server);
      server.cut();
      await settle();
      await expect(stop()).resolves.toBeUndefined();
      expect(server.watches()).toBe(0);
    }
  });

  it('ends when it is left, also while it waits for the next change', async () => {
    const server = modelServer();
    const changes = watchEvents({ client: server.client });
    const next = changes.next();
    await settle();
    await changes.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(server.watches()).toBe(0);
  });

  it('reads nothing ahead of a slow consumer', async () => {
    const server = modelServer();
    const changes = watchEvents({ client: server.client });
    const first = changes.next();
    await settle();
    for (let count = 0; count < 100; count++) server.put(`a${count}`);
    await first;
    await settle();
    expect(server.taken()).toBeLessThanOrEqual(2);
    await changes.next();
    await settle();
    expect(server.taken()).toBeLessThanOrEqual(3);
    await changes.return?.();
  });

  it('refuses wrong options with all their faults', () => {
    const wrong = { client: {}, silenceMs: 1, remember: true, resourceVersion: '1', since: 'now' } as never;
    expect(() => watchEvents(wrong)).toThrow(
      "watchEvents: client must be an events client, such as that of createEventsClient; silenceMs must be a number from 100 to 86400000; remember must be 'versions', 'events' or false; resourceVersion and since exclude each other",
    );
  });
});
