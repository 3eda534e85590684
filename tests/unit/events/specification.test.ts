import { describe, expect, it } from 'vitest';
import { allowAnonymous } from '../../../src/auth/authenticators.js';
import { allowEverybody } from '../../../src/auth/authorizers.js';
import { toFetchHandler } from '../../../src/bridge/fetch/handler.js';
import { createEvents } from '../../../src/events/create-events.js';
import { encodeEvent } from '../../../src/events/stored-form/encode-event.js';
import { createHealth } from '../../../src/health/create-health.js';
import { firstOf } from '../../../src/http/handler.js';
import type { Event, EventList } from '../../../src/model/event.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call, type CallResult } from '../../../src/testing/call.js';

/** Statements of the specification that several files fulfil together: `docs/specification.md` lists them. */

const GROUP = 'events.example.com';
const ROOT = `/apis/${GROUP}/v1`;
const SHOP = `${ROOT}/namespaces/shop/events`;
const OTHER = `${ROOT}/namespaces/other/events`;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

type Json = Readonly<Record<string, unknown>>;

const event = (name: string, more: Json = {}): Json => ({
  metadata: { name },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  ...more,
});

function server(options: { readonly coreV1?: boolean } = {}) {
  const store = memoryStore();
  const api = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    ...options,
  });
  const ask = (target: string, body?: unknown, type = 'application/json', accept?: string): Promise<CallResult> =>
    call(api.handle, target, {
      headers: { 'content-type': type, ...(accept !== undefined && { accept }) },
      ...(typeof body === 'string' ? { body } : body === undefined ? {} : { json: body }),
    });
  const names = async (collection: string): Promise<unknown[]> =>
    (await (await ask(`GET ${collection}`)).json<EventList>()).items.map(({ metadata }) => metadata.name);
  return { store, api, ask, names };
}

describe('the OpenAPI text of the Event', () => {
  const documents = [
    [`/openapi/v3/apis/${GROUP}/v1`, 'events.v1', 'note', 'type'],
    ['/openapi/v3/api/v1', 'core.v1', 'message', 'type'],
    ['/openapi/v2', 'events.v1', 'note', 'type'],
    ['/openapi/v2', 'core.v1', 'message', 'type'],
  ] as const;

  it.each(documents)('explains in %s of %s how little readers may rely on', async (path, version, note) => {
    const { ask } = server({ coreV1: true });
    const document = await (
      await ask(`GET ${path}`)
    ).json<{
      readonly components?: { readonly schemas: Json };
      readonly definitions?: Json;
    }>();
    const schemas = document.components?.schemas ?? document.definitions;
    const schema = schemas?.[`io.k8s.api.${version}.Event`] as {
      readonly description: string;
      readonly properties: Readonly<Record<string, { readonly description: string }>>;
    };
    expect(schema.description).toMatch(/informative, best-effort supplemental data/);
    expect(schema.description).toMatch(/kept for a limited time/);
    expect(schema.description).toMatch(/triggers an event and what its message says may change over time/);
    expect(schema.description).toMatch(/must not conclude from an equal reason that the trigger is the same/);
    expect(schema.description).toMatch(/or rely on events with that reason to exist in the future/);
    const textOf = (field: string): string => schema.properties[field]?.description ?? '';
    expect(textOf(note)).toMatch(/people.*at most 1024 bytes\. Clients must be prepared for up to 64 kB/);
    expect(textOf('reason')).toMatch(/for people to read, at most 128 bytes/);
    expect(textOf('reason')).not.toMatch(/machine/);
    expect(textOf('action')).toMatch(/machine-readable, at most 128 bytes/);
    expect(textOf('type')).toMatch(/Normal or Warning, machine-readable; more values may be added later/);
  });
});

describe('the columns “Required”', () => {
  it('name eventTime, count, lastObservedTime and items, and no other field', async () => {
    const { ask } = server();
    const { components } = await (
      await ask(`GET /openapi/v3/apis/${GROUP}/v1`)
    ).json<{
      readonly components: { readonly schemas: Readonly<Record<string, { readonly required?: readonly string[] }>> };
    }>();
    const required = (name: string): readonly string[] => components.schemas[name]?.required ?? [];
    expect(required('io.k8s.api.events.v1.Event')).toEqual(['eventTime']);
    expect(required('io.k8s.api.events.v1.EventSeries')).toEqual(['count', 'lastObservedTime']);
    expect(required('io.k8s.api.core.v1.EventSource')).toEqual([]);
    expect(required('io.k8s.api.events.v1.EventList')).toEqual(['items']);
  });

  it('allow a new event to omit every field for which no create rule applies', async () => {
    const { ask } = server();
    const { regarding: _, ...least } = event('least');
    const created = await ask(`POST ${ROOT}/namespaces/default/events`, least);
    expect(created.status).toBe(201);
    const stored = await created.json<Json>();
    for (const field of ['note', 'related', 'series', 'deprecatedCount']) expect(stored).not.toHaveProperty(field);
    expect(stored).toMatchObject({ regarding: {}, deprecatedSource: {}, deprecatedFirstTimestamp: null });
  });

  it.each(['eventTime', 'action', 'reason', 'reportingController', 'reportingInstance', 'type'])(
    'do not allow a new event to omit %s',
    async (field) => {
      const { ask, names } = server();
      for (const value of [undefined, field === 'eventTime' ? null : '']) {
        expect((await ask(`POST ${SHOP}`, event('a', { [field]: value }))).status).toBe(422);
      }
      expect(await names(SHOP)).toEqual([]);
    },
  );

  it('allow stored events without the fields that are not required', async () => {
    const { ask, store } = server();
    const metadata = { name: 'a', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };
    const bare: Event = { metadata, eventTime: '2026-03-05T06:07:08.123456Z' };
    await store.create({ namespace: 'shop', name: 'a' }, encodeEvent(bare), { expiresAt: Number.MAX_SAFE_INTEGER });
    const response = await ask(`GET ${SHOP}/a`);
    expect([response.status, Object.keys(await response.json<Json>())]).toEqual([
      200,
      [
        ...['kind', 'apiVersion', 'metadata', 'eventTime', 'regarding', 'deprecatedSource'],
        ...['deprecatedFirstTimestamp', 'deprecatedLastTimestamp'],
      ],
    ]);
  });
});

describe('a Time', () => {
  const core = '/api/v1/namespaces/shop/events';
  const yaml = (first: string): string =>
    [
      'apiVersion: v1',
      'kind: Event',
      'metadata: {name: older}',
      'involvedObject: {namespace: shop}',
      `firstTimestamp: ${first}`,
      'lastTimestamp: "2026-01-02T03:04:05Z"',
    ].join('\n');

  it.each(['2026-01-02T05:04:05+02:00', '"2026-01-02T03:04:05.999Z"', "'2026-01-02T03:04:05Z'"])(
    'is read from YAML as %s, and written in JSON and in YAML',
    async (first) => {
      const { ask } = server({ coreV1: true });
      const created = await ask(`POST ${core}`, yaml(first), 'application/yaml');
      expect(created.status).toBe(201);
      expect(await created.json<Json>()).toMatchObject({
        firstTimestamp: '2026-01-02T03:04:05Z',
        lastTimestamp: '2026-01-02T03:04:05Z',
      });
      const text = await (await ask(`GET ${SHOP}/older`, undefined, undefined, 'application/yaml')).text();
      // In quotes: YAML would otherwise have a value of another type.
      expect(text).toContain('\ndeprecatedFirstTimestamp: "2026-01-02T03:04:05Z"\n');
      expect(text).toContain('\ndeprecatedLastTimestamp: "2026-01-02T03:04:05Z"\n');
      expect(text).toMatch(/\n {2}creationTimestamp: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\n/);
    },
  );

  it('is refused if YAML does not write it as a time', async () => {
    const { ask, names } = server({ coreV1: true });
    for (const wrong of ['2026-01-02', '5', 'tomorrow', '[2026-01-02T03:04:05Z]']) {
      expect([wrong, (await ask(`POST ${core}`, yaml(wrong), 'application/yaml')).status]).toEqual([wrong, 400]);
    }
    expect(await names(SHOP)).toEqual([]);
  });
});

describe('a body that contradicts the path', () => {
  const NAMESPACE = 'the namespace of the provided object does not match the namespace sent on the request';
  const NAME = 'the name of the object (b) does not match the name on the URL (a)';
  const elsewhere = { metadata: { name: 'a', namespace: 'other' } };
  const renamed = { metadata: { name: 'b' } };
  const cases: readonly [what: string, target: string, body: Json, type: string, status: number, message: string][] = [
    [
      'namespace of a create',
      `POST ${SHOP}`,
      event('n', { metadata: { name: 'n', namespace: 'other' } }),
      'application/json',
      400,
      NAMESPACE,
    ],
    ['namespace of an update', `PUT ${SHOP}/a`, event('a', elsewhere), 'application/json', 400, NAMESPACE],
    ['name of an update', `PUT ${SHOP}/a`, event('a', renamed), 'application/json', 400, NAME],
    [
      'missing name of an update',
      `PUT ${SHOP}/a`,
      event('a', { metadata: {} }),
      'application/json',
      400,
      'name must be provided',
    ],
    ['namespace of a patch', `PATCH ${SHOP}/a`, elsewhere, MERGE, 400, NAMESPACE],
    ['name of a patch', `PATCH ${SHOP}/a`, renamed, MERGE, 400, NAME],
    ['namespace of an apply', `PATCH ${SHOP}/a?fieldManager=m`, event('a', elsewhere), APPLY, 400, 'namespace'],
    ['name of an apply', `PATCH ${SHOP}/a?fieldManager=m`, event('a', renamed), APPLY, 400, 'name'],
  ];

  it.each(cases)('is refused in the %s and changes nothing', async (_, target, body, type, status, message) => {
    const { ask, names } = server();
    await ask(`POST ${SHOP}`, event('a'));
    const before = await (await ask(`GET ${SHOP}/a`)).text();
    const full = { apiVersion: `${GROUP}/v1`, kind: 'Event', ...body };
    const response = await ask(target, type === MERGE ? body : full, type);
    expect([response.status, (await response.json<{ message: string }>()).message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
    expect(await (await ask(`GET ${SHOP}/a`)).text()).toBe(before);
    expect([await names(SHOP), await names(OTHER)]).toEqual([['a'], []]);
  });

  it('is accepted if it repeats the values of the path', async () => {
    const { ask } = server();
    const repeated = { metadata: { name: 'a', namespace: 'shop' } };
    expect((await ask(`POST ${SHOP}`, event('a', repeated))).status).toBe(201);
    expect((await ask(`PUT ${SHOP}/a`, event('a', repeated))).status).toBe(200);
    expect((await ask(`PATCH ${SHOP}/a`, repeated, MERGE)).status).toBe(200);
  });
});

it('the namespace of a create is that of the path, whatever the query contains', async () => {
  const { ask, names } = server();
  const created = await ask(`POST ${SHOP}?namespace=other`, event('a'));
  expect(created.status).toBe(201);
  expect((await created.json<Event>()).metadata.namespace).toBe('shop');
  expect((await ask(`POST ${SHOP}?namespace=`, event('b'))).status).toBe(201);
  expect((await ask(`POST ${ROOT}/events?namespace=shop`, event('c'))).status).toBe(405);
  expect([await names(SHOP), await names(OTHER)]).toEqual([['a', 'b'], []]);
});

it('a path is decoded once, and a name with a percent sign is refused', async () => {
  const { ask } = server();
  await ask(`POST ${SHOP}`, event('a'));
  expect((await ask(`GET ${SHOP}/%61`)).status).toBe(200);
  for (const name of ['%2561', 'a%25']) expect([name, (await ask(`GET ${SHOP}/${name}`)).status]).toEqual([name, 400]);
});

describe('discovery', () => {
  const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const version = { groupVersion: `${GROUP}/v1`, version: 'v1' };
  const group = { name: GROUP, versions: [version], preferredVersion: version };

  it('names version v1 of the group, and no other version or group', async () => {
    const { ask } = server({ coreV1: true });
    expect((await (await ask('GET /apis')).json<{ groups: Json[] }>()).groups).toEqual([
      expect.objectContaining(group),
    ]);
    expect(await (await ask(`GET /apis/${GROUP}`)).json<Json>()).toMatchObject(group);
    expect(await (await ask('GET /api')).json<Json>()).toMatchObject({ versions: ['v1'] });
    const aggregated = async (path: string): Promise<unknown> =>
      (
        await (
          await ask(`GET ${path}`, undefined, undefined, AGGREGATED)
        ).json<{ items: { metadata: { name?: string }; versions: { version: string }[] }[] }>()
      ).items.map(({ metadata, versions }) => [metadata.name ?? '', versions.map((one) => one.version)]);
    expect(await aggregated('/apis')).toEqual([[GROUP, ['v1']]]);
    expect(await aggregated('/api')).toEqual([['', ['v1']]]);
    const { paths } = await (await ask('GET /openapi/v3')).json<{ paths: Json }>();
    expect(Object.keys(paths)).toEqual(['api/v1', `apis/${GROUP}/v1`]);
  });

  it('serves no other version of the group', async () => {
    const { ask } = server();
    for (const other of ['v1beta1', 'v1alpha1', 'v2', 'V1', 'v1.0']) {
      const response = await call(
        firstOf(server().api.handle, () => ({ status: 404, headers: {}, body: null })),
        `GET /apis/${GROUP}/${other}/events`,
      );
      expect([other, response.status]).toEqual([other, 404]);
    }
    expect((await ask(`POST ${SHOP}`, { apiVersion: `${GROUP}/v1beta1`, kind: 'Event', ...event('a') })).status).toBe(
      400,
    );
  });
});

describe('both parts in one service', () => {
  it('are served below one base address', async () => {
    const { api } = server();
    const health = createHealth();
    const serve = toFetchHandler(firstOf(health.handle, api.handle), { basePath: '/clusters/one' });
    const ask = async (path: string, init?: RequestInit): Promise<Response> => {
      const response = await serve(new Request(`http://host${path}`, init));
      return response ?? new Response(null, { status: 404 });
    };
    for (const root of ['healthz', 'livez', 'readyz']) {
      expect(await (await ask(`/clusters/one/${root}`)).text()).toBe('ok');
      expect((await ask(`/${root}`)).status).toBe(404);
    }
    const headers = { 'content-type': 'application/json' };
    const created = await ask(`/clusters/one${SHOP}`, { method: 'POST', headers, body: JSON.stringify(event('a')) });
    expect(created.status).toBe(201);
    expect(await (await ask(`/clusters/one${SHOP}`)).json()).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
    expect((await ask(SHOP)).status).toBe(404);
    expect(await (await ask('/clusters/one/readyz?verbose')).text()).toContain('[+]ping ok\n');
    health.close();
    await api.close();
  });
});
