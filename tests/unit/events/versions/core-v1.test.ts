import { describe, expect, test } from 'vitest';
import type { Event } from '../../../../src/model/event.js';
import { CORE_PATHS } from './core-paths.js';
import { bench, event, metaOf, namesOf, path, settled, type Bench, type Json } from '../bench.js';

const GROUP = 'events.example.com';

const core = (rest = '', namespace = 'default'): string => `/api/v1/namespaces/${namespace}/events${rest}`;

/** An event as old kubelets write it. */
const oldEvent = (name: string | undefined, more: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { ...(name !== undefined && { name }) },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  reason: 'Tested',
  message: 'a message',
  source: { component: 'tester', host: 'node-1' },
  firstTimestamp: '2026-03-05T06:07:08Z',
  lastTimestamp: '2026-03-05T06:07:09Z',
  count: 2,
  type: 'Normal',
  ...more,
});

const coreBench = (options: Parameters<typeof bench>[0] = {}): Bench => bench({ coreV1: true, ...options });

const messageOf = (json: Json): unknown => json['message'];

describe('core/v1', () => {
  test('is not served unless it is enabled', async () => {
    const { ask, json } = bench();
    expect((await ask(`GET ${core()}`)).claimed).toBe(false);
    expect((await ask('GET /api/v1')).claimed).toBe(false);
    expect((await json('GET /api')).json['versions']).toEqual([]);
    expect(
      (await json(`POST ${path()}`, { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' } })).json,
    ).toMatchObject({
      code: 400,
      message: `the API version in the data (v1) does not match the expected API version (${GROUP}/v1)`,
    });
  });

  test('shows events of the other version in its own names and order', async () => {
    const { create, ask } = coreBench();
    const written = await create('a', { series: { count: 3, lastObservedTime: '2026-03-05T06:09:09.000009Z' } });
    const response = await ask(`GET ${core('/a')}`);
    const text = await response.text();
    expect(text.endsWith('\n')).toBe(true);
    const read = JSON.parse(text) as Json;
    expect(Object.keys(read)).toEqual([
      ...['kind', 'apiVersion', 'metadata', 'involvedObject', 'reason', 'message', 'source', 'firstTimestamp'],
      ...['lastTimestamp', 'type', 'eventTime', 'series', 'action', 'reportingComponent', 'reportingInstance'],
    ]);
    expect(metaOf(read)).toMatchObject({
      uid: metaOf(written)['uid'],
      resourceVersion: metaOf(written)['resourceVersion'],
    });
    expect(read).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'web-1' },
      message: 'a note',
      source: {},
      firstTimestamp: null,
      reportingComponent: 'example.com/tester',
      series: { count: 3 },
    });
  });

  test('checks new events by the older rules only', async () => {
    const { json } = coreBench();
    const created = await json(`POST ${core()}`, oldEvent('Foo_Bar', { type: 'Anything' }));
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ apiVersion: 'v1', count: 2, type: 'Anything', reportingComponent: '' });
    expect((await json(`GET ${path('/Foo_Bar')}`)).json).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      note: 'a message',
      deprecatedSource: { component: 'tester', host: 'node-1' },
      deprecatedCount: 2,
      eventTime: null,
    });
    expect((await json(`POST ${core()}`, oldEvent('a%b'))).json).toMatchObject({
      code: 422,
      message: 'Event "a%b" is invalid: metadata.name: Invalid value: "a%b": may not contain \'%\'',
    });
  });

  test('names its own fields in errors, and its resource without a group', async () => {
    const { json } = coreBench();
    const wrong = {
      eventTime: '2026-03-05T06:07:08.123456Z',
      action: 'x',
      reportingInstance: 'y',
      message: 'n'.repeat(1025),
    };
    const invalid = await json(`POST ${core()}`, oldEvent('a', wrong));
    const fields = (invalid.json['details'] as { causes: { field: string }[] }).causes.map(({ field }) => field);
    expect(new Set(fields)).toEqual(new Set(['reportingComponent', 'message']));
    expect(
      messageOf((await json(`POST ${core()}`, oldEvent('a', { involvedObject: { namespace: 'other' } }))).json),
    ).toBe('Event "a" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace');
    expect((await json(`GET ${core('/nope')}`)).json).toMatchObject({
      message: 'events "nope" not found',
      details: { name: 'nope', kind: 'events' },
    });
    expect((await json(`POST ${core()}`, oldEvent('a', { count: 'x' }))).json).toMatchObject({
      message:
        'Event in version "v1" cannot be handled as a Event: json: cannot unmarshal string into Go struct field Event.count of type int32',
    });
    await json(`POST ${core()}`, oldEvent('a'));
    const again = (await json(`POST ${core()}`, oldEvent('a'))).json;
    expect(messageOf(again)).toBe('events "a" already exists');
    expect((again['details'] as Json)['group']).toBeUndefined();
    const deleted = await json(`DELETE ${core('/a')}`);
    expect(deleted.json).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'events' } });
    expect(deleted.json['details']).not.toHaveProperty('group');
  });

  test('allows changes to every field, also to those the other version froze', async () => {
    const { create, json } = coreBench();
    await create('a');
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await json(`PATCH ${core('/a')}`, { message: 'by core' }, merge);
    expect(patched).toMatchObject({ status: 200, json: { apiVersion: 'v1', message: 'by core' } });
    expect((await json(`GET ${path('/a')}`)).json).toMatchObject({ note: 'by core' });
    expect((await json(`PATCH ${path('/a')}`, { note: 'x' }, merge)).status).toBe(422);
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await json(`PATCH ${core('/a')}`, { source: { host: 'h' } }, strategic)).json).toMatchObject({
      source: { host: 'h' },
    });
    const operations = { 'content-type': 'application/json-patch+json' };
    const replaced = await json(`PATCH ${core('/a')}`, [{ op: 'add', path: '/count', value: 9 }], operations);
    expect(replaced.json).toMatchObject({ count: 9, source: { host: 'h' } });
    const put = { ...replaced.json, type: 'Warning' };
    expect((await json(`PUT ${core('/a')}`, put)).json).toMatchObject({ count: 9, type: 'Warning' });
  });

  test('writes nothing if nothing changes', async () => {
    const { create, json, revision } = coreBench({ managedFields: false });
    await create('a');
    const before = await revision();
    const read = (await json(`GET ${core('/a')}`)).json;
    expect((await json(`PUT ${core('/a')}`, read)).status).toBe(200);
    expect(await revision()).toBe(before);
  });

  test('refuses a body of the other version', async () => {
    const { ask } = coreBench();
    const sent = await ask(`POST ${core()}`, { json: { ...event('a'), message: 'x' } });
    expect(sent.status).toBe(400);
    expect(sent.headers['warning']).toEqual(['299 - "unknown field \\"message\\""']);
    expect(await sent.json()).toMatchObject({
      message: `the API version in the data (${GROUP}/v1) does not match the expected API version (v1)`,
    });
    const back = await ask(`POST ${path()}`, { json: oldEvent('a') });
    expect(await back.json()).toMatchObject({
      message: `the API version in the data (v1) does not match the expected API version (${GROUP}/v1)`,
    });
  });

  test('accepts a patch that turns the object into one of the other version', async () => {
    const { create, json } = coreBench();
    await create('a');
    const merge = { 'content-type': 'application/merge-patch+json' };
    const body = { apiVersion: `${GROUP}/v1`, note: 'a new note', regarding: { kind: 'Pod', namespace: 'default' } };
    expect((await json(`PATCH ${core('/a')}`, body, merge)).json).toMatchObject({ code: 422 });
    const complete = { ...body, reportingController: 'example.com/tester' };
    expect((await json(`PATCH ${core('/a')}`, complete, merge)).json).toMatchObject({
      apiVersion: 'v1',
      message: 'a new note',
    });
  });

  test('uses its own representation for dry runs', async () => {
    const { json } = coreBench();
    const response = await json(`POST ${core('?dryRun=All')}`, oldEvent('a'));
    expect(response.json).toMatchObject({ apiVersion: 'v1', message: 'a message', count: 2 });
    expect(metaOf(response.json)['resourceVersion']).toBeUndefined();
    expect((await json(`GET ${core('/a')}`)).status).toBe(404);
  });

  test.each([
    ['involvedObject.name=web-1', ['a', 'b']],
    ['involvedObject.kind=Pod,involvedObject.namespace=default', ['a', 'b']],
    ['reportingComponent=example.com/tester', ['b']],
    ['reportingComponent=', ['a']],
    ['source=tester', ['a']],
    ['source=example.com/tester', ['b']],
    ['source!=tester', ['b']],
    ['type=Normal', ['a', 'b']],
    ['metadata.name=b', ['b']],
  ])('selects by %s: %j', async (selector, expected) => {
    const { create, json } = coreBench();
    await json(`POST ${core()}`, oldEvent('a'));
    await create('b');
    const list = (await json(`GET ${core(`?fieldSelector=${encodeURIComponent(selector)}`)}`)).json;
    expect(list).toMatchObject({ kind: 'EventList', apiVersion: 'v1' });
    expect(namesOf(list)).toEqual(expected);
    expect((list['items'] as Json[])[0]).not.toHaveProperty('kind');
  });

  test.each(['regarding.name=x', 'reportingController=x', 'message=x', 'note=x'])(
    'refuses the field selector %s',
    async (one) => {
      const { json } = coreBench();
      const label = one.split('=')[0];
      expect(messageOf((await json(`GET ${core(`?fieldSelector=${one}`)}`)).json)).toBe(
        `field label not supported: ${label}`,
      );
      const other = { source: 'x', 'involvedObject.name': 'x' };
      for (const name of Object.keys(other)) {
        expect((await json(`GET ${path(`?fieldSelector=${name}=x`)}`)).status).toBe(400);
      }
    },
  );

  test('passes the name in a field selector to the authorizer', async () => {
    const asked: unknown[] = [];
    const { json } = coreBench({
      authorize: (_, attributes) => {
        asked.push(attributes);
        return { allowed: false };
      },
    });
    const { json: refused } = await json(`GET ${core('?fieldSelector=source=t,metadata.name=x')}`);
    expect(asked).toEqual([
      { verb: 'list', group: '', version: 'v1', resource: 'events', namespace: 'default', name: 'x' },
    ]);
    expect(messageOf(refused)).toBe(
      'events "x" is forbidden: User "tester" cannot list resource "events" in API group "" in the namespace "default"',
    );
  });

  test('sends frames and bookmarks in its own representation, beside a watch of the other version', async () => {
    const { ask, json } = coreBench();
    const inCore = (await ask(`GET ${core('?watch=1')}`)).frames<{ type: string; object: Event & Json }>();
    const inGroup = (await ask(`GET ${path('?watch=1')}`)).frames<{ type: string; object: Event & Json }>();
    const next = [inCore.next(), inGroup.next()] as const;
    await settled();
    await json(`POST ${core()}`, oldEvent('a'));
    const [mine, other] = await Promise.all(next);
    expect(mine.value).toMatchObject({ type: 'ADDED', object: { apiVersion: 'v1', message: 'a message' } });
    expect(other.value).toMatchObject({ type: 'ADDED', object: { apiVersion: `${GROUP}/v1`, note: 'a message' } });
    await inCore.return();
    await inGroup.return();

    const initial = await ask(
      `GET ${core('?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')}`,
    );
    const types: string[] = [];
    for await (const frame of initial.frames<{ type: string; object: Event & Json }>()) {
      types.push(frame.type);
      expect(frame.object.apiVersion).toBe('v1');
      if (frame.type === 'BOOKMARK') break;
    }
    expect(types).toEqual(['ADDED', 'BOOKMARK']);
  });

  test('has the same table cells as the other version', async () => {
    const { json } = coreBench();
    await json(`POST ${core()}`, oldEvent('a'));
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const cellsAt = async (url: string): Promise<unknown> => {
      const table = (await json(`GET ${url}`, undefined, accept)).json;
      return (table['rows'] as { cells: unknown[] }[]).map(({ cells }) => cells);
    };
    expect(await cellsAt(core())).toEqual(await cellsAt(path()));
    expect(JSON.stringify(await cellsAt(core('/a')))).toContain('"pod/web-1"');
    const whole = (await json(`GET ${core('?includeObject=Object')}`, undefined, accept)).json;
    expect((whole['rows'] as { object: Json }[])[0]?.object).toMatchObject({ apiVersion: 'v1', message: 'a message' });
  });

  test('supports continue tokens and deletecollection like the other version', async () => {
    const { json } = coreBench();
    for (const name of ['a', 'b', 'c']) await json(`POST ${core()}`, oldEvent(name));
    const first = (await json(`GET ${core('?limit=2')}`)).json;
    expect(namesOf(first)).toEqual(['a', 'b']);
    const rest = (await json(`GET ${core(`?limit=2&continue=${String(metaOf(first)['continue'])}`)}`)).json;
    expect(namesOf(rest)).toEqual(['c']);
    expect((await json(`DELETE ${core('?fieldSelector=source=tester')}`)).json).toMatchObject({
      status: 'Success',
      details: { kind: 'events' },
    });
    expect(namesOf((await json('GET /api/v1/events')).json)).toEqual([]);
  });
});

describe('the paths below /api', () => {
  test.each(CORE_PATHS)('are owned or left to the service: %s: %s', async (url, claimed) => {
    const { ask } = coreBench();
    expect((await ask(`GET ${url}`)).claimed).toBe(claimed);
  });

  test('are only our own without discovery', async () => {
    const { ask, json } = coreBench({ discovery: false });
    expect((await ask('GET /api')).claimed).toBe(false);
    expect((await json('GET /api/v1')).json).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect((await ask(`GET ${core()}`)).status).toBe(200);
  });

  test('include discovery and OpenAPI, which describe both versions, stored in one form', async () => {
    const { json } = coreBench();
    expect((await json('GET /api')).json).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const mine = (await json('GET /api/v1')).json;
    const other = (await json(`GET /apis/${GROUP}/v1`)).json;
    expect(mine['resources']).toEqual(other['resources']);
    expect(mine['groupVersion']).toBe('v1');
    expect(mine).not.toHaveProperty('apiVersion');
    const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    expect((await json('GET /api', undefined, aggregated)).json).toMatchObject({
      items: [{ metadata: {}, versions: [{ version: 'v1', resources: [{ resource: 'events' }] }] }],
    });
    const index = (await json('GET /openapi/v3')).json;
    expect(Object.keys(index['paths'] as Json)).toEqual(['api/v1', `apis/${GROUP}/v1`]);
    const document = (await json('GET /openapi/v3/api/v1')).json;
    expect(document['paths']).toHaveProperty(['/api/v1/namespaces/{namespace}/events/{name}']);
  });

  test('are refused as in the other version when they are longer, or with other methods', async () => {
    const { json } = coreBench();
    expect((await json(`GET ${core('/a/status')}`)).json).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
    expect((await json('POST /api/v1/events', oldEvent('a'))).status).toBe(405);
    expect((await json('POST /api/v1')).status).toBe(405);
  });

  test('are available to callers of events.as, too', async () => {
    const asked: string[] = [];
    const { events } = coreBench({
      authenticate: () => undefined,
      authorize: (caller) => {
        asked.push(caller.name);
        return { allowed: true };
      },
    });
    const response = await events.as({ name: 'me', groups: [] })({ method: 'GET', url: core() });
    expect(response?.status).toBe(200);
    expect(asked).toEqual(['me']);
  });
});
