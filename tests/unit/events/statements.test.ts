import { describe, expect, it } from 'vitest';
import { allowAnonymous } from '../../../src/auth/authenticators.js';
import { allowEverybody } from '../../../src/auth/authorizers.js';
import { createEvents, type Events } from '../../../src/events/create-events.js';
import { encodeEvent } from '../../../src/events/stored-form/encode-event.js';
import type { EventsOptions } from '../../../src/events/options.js';
import type { Event, EventList } from '../../../src/model/event.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call, type CallResult } from '../../../src/testing/call.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

/** Statements of the specification that no single file fulfils: `docs/specification.md` lists them. */

const COLLECTION = '/apis/events.example.com/v1/namespaces/shop/events';
const HOUR_MS = 3_600_000;

const event = (name: string, more: Partial<Event> = {}): Event => ({
  metadata: { name },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  note: `note of ${name}`,
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  ...more,
});

function server(options: Partial<EventsOptions> = {}) {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const api: Events = createEvents({
    apiDomain: 'example.com',
    store,
    clock,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    ...options,
  });
  const ask = (target: string, json?: unknown, type = 'application/json'): Promise<CallResult> =>
    call(api.handle, target, json === undefined ? {} : { json, headers: { 'content-type': type } });
  const create = (one: Event): Promise<CallResult> => ask(`POST ${COLLECTION}`, one);
  const listed = async (query = ''): Promise<readonly Event[]> =>
    (await (await ask(`GET ${COLLECTION}${query}`)).json<EventList>()).items;
  /** Lets time pass in steps, so that timers and what they start take turns. */
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < 4; step++) {
      clock.advance(ms / 4);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const close = async (): Promise<void> => {
    await api.close();
    await store.close();
  };
  return { clock, store, api, ask, create, listed, pass, close };
}

describe('events are kept for a limited time', () => {
  it('which is an hour by default', async () => {
    const { create, listed, pass, close } = server();
    await create(event('a'));
    await pass(HOUR_MS - 60_000);
    expect(await listed()).toHaveLength(1);
    await pass(120_000);
    expect(await listed()).toEqual([]);
    await close();
  });

  it('which is counted from the last write that changed something', async () => {
    const { create, ask, listed, pass, close } = server({ ttlMs: 10_000 });
    await create(event('renewed'));
    await create(event('same'));
    await pass(8000);
    const merge = 'application/merge-patch+json';
    await ask(`PATCH ${COLLECTION}/renewed`, { metadata: { labels: { a: '1' } } }, merge);
    await ask(`PATCH ${COLLECTION}/same`, { note: 'note of same' }, merge);
    await pass(8000);
    expect((await listed()).map(({ metadata }) => metadata.name)).toEqual(['renewed']);
    await close();
  });

  it('whose end a watch shows as DELETED', async () => {
    const { create, ask, pass, close } = server({ ttlMs: 10_000 });
    await create(event('a'));
    const watch = (await ask(`GET ${COLLECTION}?watch=true`)).frames<{ type: string; object: Event }>();
    expect((await watch.next()).value?.type).toBe('ADDED');
    const next = watch.next();
    await pass(12_000);
    const { value } = await next;
    expect([value?.type, value?.object.metadata.name]).toEqual(['DELETED', 'a']);
    await watch.return();
    await close();
  });
});

it('events with the same reason are separate, whatever else they contain', async () => {
  const { create, listed, close } = server();
  await create(event('a', { note: 'one trigger' }));
  await create(event('b', { note: 'another trigger', regarding: { kind: 'Node', namespace: 'shop', name: 'n' } }));
  expect((await listed('?fieldSelector=reason%3DTested')).map(({ note }) => note)).toEqual([
    'one trigger',
    'another trigger',
  ]);
  await close();
});

it('types that the service allows may be written, and no others', async () => {
  const { create, close } = server({ types: ['Normal', 'Warning', 'Audit'] });
  expect((await create(event('a', { type: 'Audit' }))).status).toBe(201);
  expect((await create(event('b', { type: 'Other' }))).status).toBe(422);
  await close();
});

it('Normal and Warning may be written by default, and no others', async () => {
  const { create, close } = server();
  const statusOf = async (type: string): Promise<number> => (await create(event(type.toLowerCase(), { type }))).status;
  expect([await statusOf('Normal'), await statusOf('Warning')]).toEqual([201, 201]);
  for (const type of ['Error', 'Info', 'normal']) expect([type, await statusOf(type)]).toEqual([type, 422]);
  await close();
});

it('a series is updated as often as its reporter likes', async () => {
  const { create, ask, close } = server();
  await create(event('a'));
  for (const count of [2, 3, 3, 40, 2]) {
    const series = { count, lastObservedTime: '2026-03-05T06:07:09.000000Z' };
    const updated = await ask(`PUT ${COLLECTION}/a`, event('a', { series }));
    expect([updated.status, (await updated.json<Event>()).series]).toEqual([200, series]);
  }
  await close();
});

describe('a stored event is served unchanged', () => {
  const stored = (more: Partial<Event>): Event => ({
    ...event('a', more),
    metadata: { name: 'a', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  });

  it('with a note of 64 kB', async () => {
    const { store, clock, ask, close } = server();
    const note = 'é'.repeat(32_768);
    const expiresAt = clock.now() + 1_000_000;
    await store.create({ namespace: 'shop', name: 'a' }, encodeEvent(stored({ note })), { expiresAt });
    expect((await (await ask(`GET ${COLLECTION}/a`)).json<Event>()).note).toBe(note);
    await close();
  });

  it('with the deprecated fields of an older reporter', async () => {
    const { store, clock, ask, close } = server();
    const older: Partial<Event> = {
      deprecatedCount: 7,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-02T00:00:00Z',
      deprecatedSource: { component: 'kubelet', host: 'node-1' },
    };
    const expiresAt = clock.now() + 1_000_000;
    await store.create({ namespace: 'shop', name: 'a' }, encodeEvent(stored(older)), { expiresAt });
    expect(await (await ask(`GET ${COLLECTION}/a`)).json<Event>()).toMatchObject(older);
    await close();
  });
});

it('a list without limit is complete, and a limit has no upper bound', async () => {
  const { store, clock, listed, close } = server();
  const expiresAt = clock.now() + 1_000_000;
  for (let index = 0; index < 1200; index++) {
    const name = `e-${index}`;
    const one = event(name, {
      metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    });
    await store.create({ namespace: 'shop', name }, encodeEvent(one), { expiresAt });
  }
  expect(await listed()).toHaveLength(1200);
  expect(await listed('?limit=100000')).toHaveLength(1200);
  await close();
});

it('writes are not limited by rate', async () => {
  const { create, close } = server();
  const statuses = new Set<number>();
  for (let index = 0; index < 300; index++) statuses.add((await create(event(`e-${index}`))).status);
  expect([...statuses]).toEqual([201]);
  await close();
});

it('no operation records an event of its own', async () => {
  const { create, ask, listed, close } = server();
  await create(event('a'));
  await create(event('b'));
  await ask(`DELETE ${COLLECTION}/b`);
  await ask(`GET ${COLLECTION}/none`);
  expect((await listed()).map(({ metadata }) => metadata.name)).toEqual(['a']);
  await close();
});

it('a watch that requests a WebSocket ends at once, and the client continues without one', async () => {
  const { create, api, close } = server();
  await create(event('a'));
  const headers = { connection: 'Upgrade', upgrade: 'WebSocket', 'sec-websocket-version': '13' };
  const response = await call(api.handle, `GET ${COLLECTION}?watch=true`, { headers });
  expect([response.status, response.headers['content-type']]).toEqual([200, 'application/json']);
  expect(await response.frames().next()).toMatchObject({ done: true });
  const other = await call(api.handle, `GET ${COLLECTION}?watch=true`, {
    headers: { connection: 'Upgrade', upgrade: 'h2c' },
  });
  const frames = other.frames<{ type: string }>();
  expect((await frames.next()).value?.type).toBe('ADDED');
  await frames.return();
  await close();
});
