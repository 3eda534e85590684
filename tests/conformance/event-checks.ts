import { expect } from 'vitest';
import type { HttpResponse, Ask, Stream, Transport } from './transport.js';

export const GROUP = 'events.example.com';
export const API_VERSION = `${GROUP}/v1`;

type Json = Record<string, unknown>;

/** What a check works with: a transport, signed in as the administrator, and a namespace of its own. */
export interface Bench {
  readonly transport: Transport;
  readonly namespace: string;
  /** `/apis/…/namespaces/<own>/events` and what is appended. */
  path(rest?: string): string;
  event(name: string, more?: Json): Json;
  ask(
    method: string,
    url: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse & { json: Json }>;
  open(url: string, headers?: Readonly<Record<string, string>>): Promise<Stream>;
}

/** One observable behaviour. Ids never change their meaning. */
export interface Check {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly title: string;
  run(bench: Bench): Promise<void>;
}

/** A bench over a transport. */
export function bench(transport: Transport, namespace: string): Bench {
  const withToken = (headers?: Readonly<Record<string, string>>): Record<string, string> => ({
    authorization: 'Bearer admin-token',
    ...headers,
  });
  return {
    transport,
    namespace,
    path: (rest = '') => `/apis/${API_VERSION}/namespaces/${namespace}/events${rest}`,
    event: (name, more = {}) => ({
      apiVersion: API_VERSION,
      kind: 'Event',
      metadata: { name },
      eventTime: '2026-03-05T06:07:08.123456Z',
      reportingController: 'example.com/tester',
      reportingInstance: 'tester-0',
      action: 'Testing',
      reason: 'Tested',
      note: `note of ${name}`,
      type: 'Normal',
      regarding: { kind: 'Pod', namespace, name: 'web-1' },
      ...more,
    }),
    async ask(method, url, body, headers) {
      const ask: Ask = {
        headers: withToken({ ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }),
        ...(body !== undefined && { body: bytesOf(body) }),
      };
      const response = await transport.ask(method, url, ask);
      return { ...response, json: parsed(response.text) };
    },
    open: (url, headers) => transport.open(url, { headers: withToken(headers) }),
  };
}

const bytesOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

const meta = (object: unknown): Json => (object as { metadata: Json }).metadata;
const names = (list: Json): unknown[] => (list['items'] as Json[]).map((item) => meta(item)['name']);
const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

async function frame(stream: Stream): Promise<{ type: string; object: Json }> {
  return (await stream.next()) as { type: string; object: Json };
}

export const EVENT_CHECKS: readonly Check[] = [
  {
    id: 'E001',
    level: 'MUST',
    title: 'create responds with 201 and the object as stored, in wire order',
    async run({ ask, path, event, namespace }) {
      const { status, json, headers } = await ask('POST', path(), event('a'));
      expect(status).toBe(201);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['cache-control']).toBe('no-cache, private');
      expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(Object.keys(json)).toEqual([
        'kind',
        'apiVersion',
        'metadata',
        'eventTime',
        'reportingController',
        'reportingInstance',
        'action',
        'reason',
        'regarding',
        'note',
        'type',
        'deprecatedSource',
        'deprecatedFirstTimestamp',
        'deprecatedLastTimestamp',
      ]);
      expect(Object.keys(meta(json))).toEqual([
        ...['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields'],
      ]);
      expect(meta(json)['namespace']).toBe(namespace);
      expect(meta(json)['creationTimestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    },
  },
  {
    id: 'E002',
    level: 'MUST',
    title: 'get returns byte for byte what create answered',
    async run({ ask, path, event }) {
      const created = await ask('POST', path(), event('a'));
      const got = await ask('GET', path('/a'));
      expect(got.status).toBe(200);
      expect(got.text).toBe(created.text);
      expect(got.text.endsWith('}\n')).toBe(true);
    },
  },
  {
    id: 'E003',
    level: 'MUST',
    title: 'a missing event is 404 with its name, group and resource',
    async run({ ask, path }) {
      const { status, json } = await ask('GET', path('/none'));
      expect(status).toBe(404);
      expect(json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `events.${GROUP} "none" not found`,
        reason: 'NotFound',
        details: { name: 'none', group: GROUP, kind: 'events' },
        code: 404,
      });
    },
  },
  {
    id: 'E004',
    level: 'MUST',
    title: 'a second create of the same name is 409 and changes nothing',
    async run({ ask, path, event }) {
      const created = await ask('POST', path(), event('a'));
      const again = await ask('POST', path(), event('a', { note: 'other' }));
      expect(again.status).toBe(409);
      expect(again.json['message']).toBe(`events.${GROUP} "a" already exists`);
      expect((await ask('GET', path('/a'))).text).toBe(created.text);
    },
  },
  {
    id: 'E005',
    level: 'MUST',
    title: 'an event that breaks rules is 422 with every cause, and is not stored',
    async run({ ask, path }) {
      const { status, json } = await ask('POST', path(), {
        metadata: { name: 'Bad_Name' },
        series: { count: 1, lastObservedTime: null },
      });
      expect(status).toBe(422);
      const fields = (json['details'] as { causes: { field: string }[] }).causes.map((cause) => cause.field);
      expect(fields).toEqual([
        'regarding.namespace',
        'metadata.name',
        'series.count',
        'series.lastObservedTime',
        'eventTime',
        'type',
      ]);
      expect((await ask('GET', path('/Bad_Name'))).status).toBe(404);
    },
  },
  {
    id: 'E006',
    level: 'MUST',
    title: 'lengths are counted in bytes: 128 for action, reason and reportingInstance, 1,024 for note',
    async run({ ask, path, event }) {
      const ok = event('ok', { action: 'a'.repeat(128), reason: 'é'.repeat(64), note: 'n'.repeat(1024) });
      expect((await ask('POST', path(), ok)).status).toBe(201);
      const long = event('long', {
        action: 'a'.repeat(129),
        reason: 'é'.repeat(65),
        reportingInstance: 'i'.repeat(129),
        note: 'n'.repeat(1025),
      });
      const { status, json } = await ask('POST', path(), long);
      expect(status).toBe(422);
      expect(json['message']).toContain('note: Invalid value: "": can have at most 1024 characters');
      expect((json['details'] as { causes: unknown[] }).causes).toHaveLength(4);
    },
  },
  {
    id: 'E007',
    level: 'MUST',
    title: 'generateName gives a fresh name with five more characters',
    async run({ ask, path, event }) {
      const body = event('', { metadata: { generateName: 'web-' } });
      const first = meta((await ask('POST', path(), body)).json)['name'];
      const second = meta((await ask('POST', path(), body)).json)['name'];
      expect(first).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(second).not.toBe(first);
    },
  },
  {
    id: 'E008',
    level: 'MUST',
    title: 'times are read with any number of fractional digits and an offset, and written with six in UTC',
    async run({ ask, path, event }) {
      const cases: [string, string][] = [
        ['2024-03-05T06:07:08Z', '2024-03-05T06:07:08.000000Z'],
        ['2024-03-05T06:07:08.12Z', '2024-03-05T06:07:08.120000Z'],
        ['2024-03-05T06:07:08.123456789Z', '2024-03-05T06:07:08.123456Z'],
        ['2024-03-05T06:07:08.12345678901234Z', '2024-03-05T06:07:08.123456Z'],
        ['2024-03-05T07:07:08.5+01:00', '2024-03-05T06:07:08.500000Z'],
      ];
      for (const [index, [sent, stored]] of cases.entries()) {
        const { status, json } = await ask('POST', path(), event(`t${index}`, { eventTime: sent }));
        expect([status, json['eventTime']]).toEqual([201, stored]);
      }
      expect((await ask('POST', path(), event('bad', { eventTime: 'yesterday' }))).status).toBe(400);
    },
  },
  {
    id: 'E009',
    level: 'MUST',
    title: 'dryRun=All validates, returns the object, and stores nothing',
    async run({ ask, path, event }) {
      const dry = await ask('POST', path('?dryRun=All'), event('a'));
      expect(dry.status).toBe(201);
      expect(meta(dry.json)['resourceVersion']).toBeUndefined();
      expect((await ask('GET', path('/a'))).status).toBe(404);
      await ask('POST', path(), event('a'));
      expect((await ask('POST', path('?dryRun=All'), event('a'))).status).toBe(409);
      expect((await ask('DELETE', path('/a?dryRun=All'))).status).toBe(200);
      expect((await ask('GET', path('/a'))).status).toBe(200);
    },
  },
  {
    id: 'E010',
    level: 'MUST',
    title: 'unknown and duplicate fields warn by default, are refused when strict, and pass silently when ignored',
    async run({ ask, path, event }) {
      const text = (name: string): string =>
        JSON.stringify({ ...event(name), extra: 1 }).replace('"type"', '"note":"x","type"');
      const warned = await ask('POST', path(), text('warn'));
      expect(warned.status).toBe(201);
      expect(warned.headers['warning']).toContain('299 - "unknown field \\"extra\\""');
      expect(warned.headers['warning']).toContain('299 - "duplicate field \\"note\\""');
      const strict = await ask('POST', path('?fieldValidation=Strict'), text('strict'));
      expect(strict.status).toBe(400);
      expect(strict.json['message']).toContain('strict decoding error: ');
      const ignored = await ask('POST', path('?fieldValidation=Ignore'), text('ignore'));
      expect([ignored.status, ignored.headers['warning']]).toEqual([201, undefined]);
    },
  },
  {
    id: 'E011',
    level: 'MUST',
    title: 'list returns the namespace in name order, without kind in the items',
    async run({ ask, path, event }) {
      for (const name of ['b', 'a', 'c']) await ask('POST', path(), event(name));
      const { status, json } = await ask('GET', path());
      expect(status).toBe(200);
      expect([json['kind'], json['apiVersion'], names(json)]).toEqual(['EventList', API_VERSION, ['a', 'b', 'c']]);
      expect(Object.keys((json['items'] as Json[])[0] as Json)[0]).toBe('metadata');
      expect(Object.keys(json)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
      // Filtered after they were read, unlike those of a whole list.
      const selected = (await ask('GET', path('?labelSelector=!none'))).json;
      expect(selected['items']).toEqual(json['items']);
    },
  },
  {
    id: 'E012',
    level: 'MUST',
    title: 'an empty list has items [] and a resourceVersion',
    async run({ ask, path }) {
      const { json } = await ask('GET', path());
      expect(json['items']).toEqual([]);
      expect(meta(json)['resourceVersion']).toMatch(/^\d+$/);
    },
  },
  {
    id: 'E013',
    level: 'MUST',
    title: 'all pages of a walk show the state of the first page',
    async run({ ask, path, event }) {
      for (const name of ['a', 'b', 'c', 'd']) await ask('POST', path(), event(name));
      const first = (await ask('GET', path('?limit=2'))).json;
      expect([names(first), meta(first)['remainingItemCount']]).toEqual([['a', 'b'], 2]);
      await ask('DELETE', path('/b'));
      await ask('DELETE', path('/c'));
      await ask('POST', path(), event('bb'));
      const second = (await ask('GET', path(`?limit=2&continue=${String(meta(first)['continue'])}`))).json;
      expect(names(second)).toEqual(['c', 'd']);
      expect(meta(second)['resourceVersion']).toBe(meta(first)['resourceVersion']);
      expect(meta(second)['continue']).toBeUndefined();
    },
  },
  {
    id: 'E014',
    level: 'MUST',
    title: 'resourceVersionMatch=Exact shows an earlier state',
    async run({ ask, path, event }) {
      const version = String(meta((await ask('POST', path(), event('a'))).json)['resourceVersion']);
      await ask('POST', path(), event('b'));
      const exact = (await ask('GET', path(`?resourceVersion=${version}&resourceVersionMatch=Exact`))).json;
      expect([names(exact), meta(exact)['resourceVersion']]).toEqual([['a'], version]);
      const notOlder = (await ask('GET', path(`?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`))).json;
      expect(names(notOlder)).toEqual(['a', 'b']);
    },
  },
  {
    id: 'E015',
    level: 'MUST',
    title: 'a future resourceVersion is 504, one from before history 410',
    async run({ ask, path }) {
      const future = await ask('GET', path('?resourceVersion=9007199254740000&resourceVersionMatch=Exact'));
      expect([future.status, future.json['reason']]).toEqual([504, 'Timeout']);
      const past = await ask('GET', path('?resourceVersion=1&resourceVersionMatch=Exact'));
      expect([past.status, past.json['reason']]).toEqual([410, 'Expired']);
    },
  },
  {
    id: 'E016',
    level: 'MUST',
    title: 'field selectors pick by the fields of the group',
    async run({ ask, path, event, namespace }) {
      await ask('POST', path(), event('a'));
      await ask('POST', path(), event('b', { type: 'Warning', regarding: { kind: 'Pod', namespace, name: 'db-1' } }));
      const select = async (text: string): Promise<unknown[]> =>
        names((await ask('GET', path(`?fieldSelector=${encodeURIComponent(text)}`))).json);
      expect(await select('type=Warning')).toEqual(['b']);
      expect(await select('regarding.name=web-1')).toEqual(['a']);
      expect(await select('regarding.name!=web-1,type=Warning')).toEqual(['b']);
      expect(await select('metadata.name=a')).toEqual(['a']);
      const bad = await ask('GET', path('?fieldSelector=note%3Dx'));
      expect([bad.status, bad.json['message']]).toEqual([400, 'field label not supported: note']);
    },
  },
  {
    id: 'E017',
    level: 'MUST',
    title: 'label selectors follow the whole grammar',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a', { metadata: { name: 'a', labels: { app: 'x', tier: 'front' } } }));
      await ask('POST', path(), event('b', { metadata: { name: 'b', labels: { app: 'y' } } }));
      await ask('POST', path(), event('c'));
      const select = async (text: string): Promise<unknown[]> =>
        names((await ask('GET', path(`?labelSelector=${encodeURIComponent(text)}`))).json);
      expect(await select('app=x')).toEqual(['a']);
      expect(await select('app in (x, y)')).toEqual(['a', 'b']);
      expect(await select('app notin (x)')).toEqual(['b', 'c']);
      expect(await select('app!=x')).toEqual(['b', 'c']);
      expect(await select('!app')).toEqual(['c']);
      expect(await select('app,!tier')).toEqual(['b']);
      expect((await ask('GET', path('?labelSelector=a%20b'))).status).toBe(400);
    },
  },
  {
    id: 'E018',
    level: 'MUST',
    title: 'update replaces series and metadata and refuses everything else',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const series = { count: 3, lastObservedTime: '2026-03-05T06:09:09.000009Z' };
      const updated = await ask('PUT', path('/a'), event('a', { series }));
      expect([updated.status, updated.json['series']]).toEqual([200, series]);
      const refused = await ask('PUT', path('/a'), event('a', { series, note: 'changed' }));
      expect([refused.status, refused.json['message']]).toEqual([
        422,
        'Event "a" is invalid: note: Invalid value: "changed": field is immutable',
      ]);
    },
  },
  {
    id: 'E019',
    level: 'MUST',
    title: 'update with another resourceVersion is 409; without one it overwrites; of a missing event it creates',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const stale = await ask('PUT', path('/a'), event('a', { metadata: { name: 'a', resourceVersion: '1' } }));
      expect([stale.status, stale.json['reason']]).toEqual([409, 'Conflict']);
      const labels = { x: '1' };
      expect((await ask('PUT', path('/a'), event('a', { metadata: { name: 'a', labels } }))).status).toBe(200);
      expect((await ask('PUT', path('/new'), event('new'))).status).toBe(201);
    },
  },
  {
    id: 'E020',
    level: 'MUST',
    title: 'a write that changes nothing keeps the resourceVersion',
    async run({ ask, path, event }) {
      const created = (await ask('POST', path(), event('a'))).json;
      const same = await ask('PUT', path('/a'), event('a'));
      expect([same.status, meta(same.json)['resourceVersion']]).toEqual([200, meta(created)['resourceVersion']]);
      const patched = await ask('PATCH', path('/a'), { note: 'note of a' }, MERGE);
      expect(meta(patched.json)['resourceVersion']).toBe(meta(created)['resourceVersion']);
    },
  },
  {
    id: 'E021',
    level: 'MUST',
    title: 'merge, strategic and JSON patches change an event',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const merged = await ask('PATCH', path('/a'), { metadata: { labels: { a: '1' } } }, MERGE);
      expect([merged.status, meta(merged.json)['labels']]).toEqual([200, { a: '1' }]);
      const series = { count: 2, lastObservedTime: '2026-03-05T06:09:09.000000Z' };
      const strategic = await ask('PATCH', path('/a'), { series }, STRATEGIC);
      expect([strategic.status, strategic.json['series']]).toEqual([200, series]);
      const operations = [
        { op: 'test', path: '/metadata/labels/a', value: '1' },
        { op: 'replace', path: '/series/count', value: 9 },
      ];
      const byJson = await ask('PATCH', path('/a'), operations, JSON_PATCH);
      expect([byJson.status, (byJson.json['series'] as Json)['count']]).toEqual([200, 9]);
    },
  },
  {
    id: 'E022',
    level: 'MUST',
    title: 'a failing JSON Patch is 422 and changes nothing',
    async run({ ask, path, event }) {
      const created = await ask('POST', path(), event('a'));
      const operations = [
        { op: 'add', path: '/metadata/labels', value: { a: '1' } },
        { op: 'test', path: '/note', value: 'no' },
      ];
      const { status, json } = await ask('PATCH', path('/a'), operations, JSON_PATCH);
      expect([status, json['message']]).toEqual([
        422,
        'the server rejected our request due to an error in our request',
      ]);
      expect((await ask('GET', path('/a'))).text).toBe(created.text);
    },
  },
  {
    id: 'E023',
    level: 'MUST',
    title: 'an unknown patch type is 415, before the event is looked for',
    async run({ ask, path }) {
      const { status, json } = await ask('PATCH', path('/none'), '{}', { 'content-type': 'text/plain' });
      expect([status, json['message']]).toEqual([415, '415: Unsupported Media Type']);
    },
  },
  {
    id: 'E024',
    level: 'MUST',
    title: 'delete returns a Status with the uid, and the event is gone',
    async run({ ask, path, event }) {
      const created = (await ask('POST', path(), event('a'))).json;
      const { status, json } = await ask('DELETE', path('/a'), { propagationPolicy: 'Background' });
      expect(status).toBe(200);
      expect(json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', group: GROUP, kind: 'events', uid: meta(created)['uid'] },
      });
      expect((await ask('DELETE', path('/a'))).status).toBe(404);
    },
  },
  {
    id: 'E025',
    level: 'MUST',
    title: 'preconditions of a deletion must hold',
    async run({ ask, path, event }) {
      const created = (await ask('POST', path(), event('a'))).json;
      expect((await ask('DELETE', path('/a'), { preconditions: { uid: 'other' } })).status).toBe(409);
      expect((await ask('DELETE', path('/a'), { preconditions: { resourceVersion: '1' } })).status).toBe(409);
      const { uid, resourceVersion } = meta(created);
      expect((await ask('DELETE', path('/a'), { preconditions: { uid, resourceVersion } })).status).toBe(200);
    },
  },
  {
    id: 'E026',
    level: 'MUST',
    title: 'an event with finalizers is only marked, and goes with the last of them',
    async run({ ask, path, event }) {
      const metadata = { name: 'a', finalizers: ['example.com/x'] };
      await ask('POST', path(), event('a', { metadata }));
      const marked = await ask('DELETE', path('/a'));
      expect([marked.status, marked.json['kind']]).toEqual([200, 'Event']);
      expect(meta(marked.json)['deletionTimestamp']).toBeDefined();
      expect((await ask('GET', path('/a'))).status).toBe(200);
      expect((await ask('PATCH', path('/a'), { metadata: { finalizers: null } }, MERGE)).status).toBe(200);
      expect((await ask('GET', path('/a'))).status).toBe(404);
    },
  },
  {
    id: 'E027',
    level: 'MUST',
    title: 'deletecollection deletes what is selected and returns a Status',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a', { type: 'Warning' }));
      await ask('POST', path(), event('b'));
      const { status, json } = await ask('DELETE', path('?fieldSelector=type%3DWarning'));
      expect([status, json]).toEqual([
        200,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: { group: GROUP, kind: 'events' },
        },
      ]);
      expect(names((await ask('GET', path())).json)).toEqual(['b']);
    },
  },
  {
    id: 'E028',
    level: 'MUST',
    title: 'a watch from a revision carries every later change, in order, with kind and apiVersion',
    async run({ ask, path, event, open }) {
      const start = String(meta((await ask('GET', path())).json)['resourceVersion']);
      const stream = await open(path(`?watch=true&resourceVersion=${start}`));
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'application/json']);
      const created = (await ask('POST', path(), event('a'))).json;
      await ask('PATCH', path('/a'), { metadata: { labels: { a: '1' } } }, MERGE);
      await ask('DELETE', path('/a'));
      const [added, modified, deleted] = [await frame(stream), await frame(stream), await frame(stream)];
      expect([added.type, added.object]).toEqual(['ADDED', created]);
      expect(modified.type).toBe('MODIFIED');
      expect(deleted.type).toBe('DELETED');
      expect(Number(meta(deleted.object)['resourceVersion'])).toBeGreaterThan(
        Number(meta(modified.object)['resourceVersion']),
      );
      await stream.leave();
    },
  },
  {
    id: 'E029',
    level: 'MUST',
    title: 'a watch without start sends what is there, then the bookmark that ends it, then what happens',
    async run({ ask, path, event, open }) {
      await ask('POST', path(), event('a'));
      const stream = await open(path('?watch=true&allowWatchBookmarks=true'));
      expect((await frame(stream)).type).toBe('ADDED');
      const bookmark = await frame(stream);
      expect(bookmark.type).toBe('BOOKMARK');
      expect(meta(bookmark.object)['annotations']).toEqual({ 'k8s.io/initial-events-end': 'true' });
      await ask('POST', path(), event('b'));
      expect(meta((await frame(stream)).object)['name']).toBe('b');
      await stream.leave();
    },
  },
  {
    id: 'E030',
    level: 'MUST',
    title: 'an event that stops matching is DELETED in its old form, one that begins to match ADDED',
    async run({ ask, path, event, open }) {
      await ask('POST', path(), event('a', { metadata: { name: 'a', labels: { app: 'x' } } }));
      const start = String(meta((await ask('GET', path())).json)['resourceVersion']);
      const stream = await open(path(`?watch=true&resourceVersion=${start}&labelSelector=app%3Dx`));
      const moved = (await ask('PATCH', path('/a'), { metadata: { labels: { app: 'y' } } }, MERGE)).json;
      const left = await frame(stream);
      expect([left.type, meta(left.object)['labels']]).toEqual(['DELETED', { app: 'x' }]);
      expect(meta(left.object)['resourceVersion']).toBe(meta(moved)['resourceVersion']);
      await ask('PATCH', path('/a'), { metadata: { labels: { app: 'x' } } }, MERGE);
      expect((await frame(stream)).type).toBe('ADDED');
      await stream.leave();
    },
  },
  {
    id: 'E031',
    level: 'MUST',
    title: 'a watch from before history is 200 with one ERROR frame 410, and ends',
    async run({ path, open }) {
      const stream = await open(path('?watch=true&resourceVersion=1'));
      expect(stream.status).toBe(200);
      const error = await frame(stream);
      expect([error.type, error.object['code'], error.object['reason']]).toEqual(['ERROR', 410, 'Expired']);
      expect(await stream.next()).toBeUndefined();
    },
  },
  {
    id: 'E032',
    level: 'MUST',
    title: 'timeoutSeconds ends a watch without a frame',
    async run({ path, open }) {
      const stream = await open(
        path('?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1'),
      );
      expect(await stream.next()).toBeUndefined();
    },
  },
  {
    id: 'E033',
    level: 'MUST',
    title: 'without a credential every operation is 401',
    async run({ transport, path, event }) {
      const body = JSON.stringify(event('a'));
      for (const [method, url] of [
        ['GET', path()],
        ['GET', path('/a')],
        ['POST', path()],
        ['PUT', path('/a')],
        ['PATCH', path('/a')],
        ['DELETE', path('/a')],
        ['DELETE', path()],
        ['GET', path('?watch=true')],
        ['GET', `/apis/${API_VERSION}/events`],
      ] as const) {
        const sent = method === 'POST' || method === 'PUT' || method === 'PATCH' ? { body } : {};
        const response = await transport.ask(method, url, sent);
        expect([response.status, response.headers['www-authenticate']]).toEqual([401, undefined]);
        expect((JSON.parse(response.text) as Json)['message']).toBe('Unauthorized');
      }
    },
  },
  {
    id: 'E034',
    level: 'MUST',
    title: 'a wrong token is 401; a caller without the right is 403 with the whole sentence',
    async run({ transport, path, namespace }) {
      const wrong = await transport.ask('GET', path(), { headers: { authorization: 'Bearer wrong' } });
      expect(wrong.status).toBe(401);
      const jane = await transport.ask('GET', path('/x'), { headers: { authorization: 'Bearer jane-token' } });
      expect(jane.status).toBe(403);
      expect(jane.headers['x-content-type-options']).toBe('nosniff');
      expect((JSON.parse(jane.text) as Json)['message']).toBe(
        `events.${GROUP} "x" is forbidden: User "jane" cannot get resource "events" in API group "${GROUP}" in the namespace "${namespace}"`,
      );
    },
  },
  {
    id: 'E035',
    level: 'MUST',
    title: 'a reader may get, list and watch, not write',
    async run({ ask, transport, path, event, namespace }) {
      const created = await ask('POST', path(), event('a'));
      const headers = { authorization: 'Bearer viewer-token' };
      const read = (url: string) => transport.ask('GET', url, { headers });
      const got = await read(path('/a'));
      expect([got.status, got.text]).toEqual([200, created.text]);
      const listed = await read(path());
      expect([listed.status, names(JSON.parse(listed.text) as Json)]).toEqual([200, ['a']]);
      expect((await read(`/apis/${API_VERSION}/events`)).status).toBe(200);
      const stream = await transport.open(path('?watch=true'), { headers });
      expect([stream.status, meta((await frame(stream)).object)['name']]).toEqual([200, 'a']);
      await stream.leave();

      const body = JSON.stringify(event('a', { metadata: { name: 'a', labels: { a: '1' } } }));
      const APPLY = { 'content-type': 'application/apply-patch+yaml' };
      for (const [verb, method, url, more] of [
        ['create', 'POST', path(), {}],
        ['create', 'POST', path('?dryRun=All'), {}],
        ['update', 'PUT', path('/a'), {}],
        ['update', 'PUT', path('/new'), {}],
        ['patch', 'PATCH', path('/a'), MERGE],
        ['patch', 'PATCH', path('/a'), STRATEGIC],
        ['patch', 'PATCH', path('/a?fieldManager=x'), APPLY],
        ['delete', 'DELETE', path('/a'), undefined],
        ['deletecollection', 'DELETE', path(), undefined],
      ] as const) {
        const sent = more === undefined ? {} : { body };
        const refused = await transport.ask(method, url, {
          headers: { ...headers, 'content-type': 'application/json', ...more },
          ...sent,
        });
        expect([method, url, refused.status]).toEqual([method, url, 403]);
        expect((JSON.parse(refused.text) as Json)['message']).toContain(
          `User "viewer" cannot ${verb} resource "events" in API group "${GROUP}" in the namespace "${namespace}"`,
        );
      }
      expect((await ask('GET', path('/a'))).text).toBe(created.text);
      expect(names((await ask('GET', path())).json)).toEqual(['a']);
    },
  },
  {
    id: 'E036',
    level: 'MUST',
    title: 'an update that would create needs the right to create',
    async run({ transport, path, event }) {
      const headers = { authorization: 'Bearer updater-token', 'content-type': 'application/json' };
      const response = await transport.ask('PUT', path('/new'), { headers, body: JSON.stringify(event('new')) });
      expect([response.status, response.text.includes('cannot create resource')]).toEqual([403, true]);
    },
  },
  {
    id: 'E037',
    level: 'MUST',
    title: 'wrong methods are 405, unknown paths below the group 404',
    async run({ ask, path }) {
      for (const [method, url] of [
        ['POST', path('/a')],
        ['PUT', path()],
        ['PATCH', path()],
        ['HEAD', path()],
        ['POST', `/apis/${API_VERSION}/events`],
        ['DELETE', `/apis/${API_VERSION}/events`],
      ] as const) {
        const { status, headers } = await ask(method, url);
        expect([method, url, status, headers['allow']]).toEqual([method, url, 405, undefined]);
      }
      for (const url of [`/apis/${API_VERSION}/unknown`, path('/a/b'), `/apis/${GROUP}/v9/events`, path('/a%2Fb')]) {
        const { status, json } = await ask('GET', url);
        expect([url, status, json['message']]).toEqual([url, 404, 'the server could not find the requested resource']);
      }
    },
  },
  {
    id: 'E038',
    level: 'MUST',
    title: 'names of . and .. are refused',
    async run({ ask, path }) {
      for (const name of ['%2E', '%2e%2e']) {
        const { status, json } = await ask('GET', path(`/${name}`));
        expect([status, String(json['message']).startsWith('Name parameter invalid: ')]).toEqual([400, true]);
      }
    },
  },
  {
    id: 'E039',
    level: 'MUST',
    title: 'Accept and Content-Type that cannot be served are 406 and 415',
    async run({ ask, path, event }) {
      const html = await ask('GET', path(), undefined, { accept: 'text/html' });
      expect([html.status, String(html.json['message']).startsWith('406: Not Acceptable')]).toEqual([406, true]);
      for (const contentType of ['text/plain', 'application/json;;', 'application/json; charset=']) {
        for (const [method, at] of [
          ['POST', path()],
          ['PUT', path('/a')],
        ] as const) {
          const { status, json } = await ask(method, at, event('a'), { 'content-type': contentType });
          expect([status, json['message']]).toEqual([
            415,
            'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
          ]);
        }
      }
    },
  },
  {
    id: 'E040',
    level: 'MUST',
    title: 'a body over 3 MiB is 413',
    async run({ ask, path }) {
      const { status, json } = await ask('POST', path(), new Uint8Array(3_145_729).fill(0x20));
      expect([status, json['message']]).toEqual([413, 'Request entity too large: limit is 3145728']);
    },
  },
  {
    id: 'E041',
    level: 'MUST',
    title: 'YAML goes in and comes out',
    async run({ ask, path, event }) {
      const yaml = Object.entries(event('a'))
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
        .join('\n');
      const { status, text, headers } = await ask('POST', path(), yaml, {
        'content-type': 'application/yaml',
        accept: 'application/yaml',
      });
      expect([status, headers['content-type']]).toEqual([201, 'application/yaml']);
      expect(text).toMatch(/^action: Testing\napiVersion: events\.example\.com\/v1\n/);
    },
  },
  {
    id: 'E042',
    level: 'MUST',
    title: 'pretty=true indents by two and ends without newline',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const { text } = await ask('GET', path('/a?pretty=true'));
      expect(text.startsWith('{\n  "kind": "Event"')).toBe(true);
      expect(text.endsWith('\n}')).toBe(true);
    },
  },
  {
    id: 'E043',
    level: 'MUST',
    title: 'a Table has the ten columns and a row for each event',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const { json } = await ask('GET', path(), undefined, TABLE);
      expect(json['kind']).toBe('Table');
      const columns = (json['columnDefinitions'] as { name: string }[]).map((column) => column.name);
      expect(columns).toEqual([
        'Last Seen',
        'Type',
        'Reason',
        'Object',
        'Subobject',
        'Source',
        'Message',
        'First Seen',
        'Count',
        'Name',
      ]);
      const [row] = json['rows'] as { cells: unknown[]; object: Json }[];
      expect(row?.cells.slice(1, 5)).toEqual(['Normal', 'Tested', 'pod/web-1', '']);
      expect(row?.object['kind']).toBe('PartialObjectMetadata');
    },
  },
  {
    id: 'E044',
    level: 'MUST',
    title: 'discovery names the group, plain and aggregated',
    async run({ ask }) {
      const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
      const plain = (await ask('GET', '/apis')).json;
      expect(plain['kind']).toBe('APIGroupList');
      const [group, ...others] = plain['groups'] as Json[];
      const version = { groupVersion: API_VERSION, version: 'v1' };
      expect(others).toEqual([]);
      expect(group).toMatchObject({ name: GROUP, versions: [version], preferredVersion: version });
      const one = (await ask('GET', `/apis/${GROUP}`)).json;
      expect(one).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: GROUP, versions: [version] });
      const list = (await ask('GET', `/apis/${API_VERSION}`)).json;
      expect([list['kind'], list['groupVersion']]).toEqual(['APIResourceList', API_VERSION]);
      const resources = list['resources'] as Json[];
      expect(resources.map((resource) => resource['name'])).toEqual(['events']);
      expect(resources[0]).toMatchObject({ singularName: 'event', namespaced: true, kind: 'Event', verbs });

      const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const accept = `${aggregated},application/json`;
      const found: Record<string, unknown[]> = {};
      for (const root of ['/api', '/apis']) {
        const { json, headers } = await ask('GET', root, undefined, { accept });
        expect([json['kind'], json['apiVersion']]).toEqual(['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2']);
        expect(headers['content-type']).toBe(aggregated);
        const { etag = '' } = headers;
        expect(etag).toMatch(/^"[0-9A-Fa-f]+"$/);
        const known = await ask('GET', root, undefined, { accept, 'if-none-match': etag });
        expect([known.status, known.text, known.headers['etag']]).toEqual([304, '', etag]);
        expect((await ask('GET', root, undefined, { accept, 'if-none-match': '"other"' })).status).toBe(200);
        found[root] = json['items'] as Json[];
      }
      expect(found['/api']).toEqual([]);
      expect(found['/apis']).toHaveLength(1);
      expect(found['/apis']?.[0]).toMatchObject({
        metadata: { name: GROUP },
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'events',
                responseKind: { kind: 'Event' },
                scope: 'Namespaced',
                singularResource: 'event',
                verbs,
              },
            ],
          },
        ],
      });
    },
  },
  {
    id: 'E045',
    level: 'MUST',
    title: 'the OpenAPI document can be found through its index and offers fieldValidation on PATCH',
    async run({ ask }) {
      const paths = (await ask('GET', '/openapi/v3')).json['paths'] as Record<string, { serverRelativeURL: string }>;
      const document = (await ask('GET', paths[`apis/${API_VERSION}`]?.serverRelativeURL ?? '')).json;
      const item = (document['paths'] as Record<string, Json>)[
        `/apis/${API_VERSION}/namespaces/{namespace}/events/{name}`
      ];
      const patch = item?.['patch'] as { parameters: { name: string }[] };
      expect(patch.parameters.map((parameter) => parameter.name)).toContain('fieldValidation');
    },
  },
  {
    id: 'E046',
    level: 'MUST',
    title: 'the old watch paths watch',
    async run({ ask, path, event, open, namespace }) {
      await ask('POST', path(), event('a'));
      await ask('POST', path(), event('b'));
      const stream = await open(`/apis/${API_VERSION}/watch/namespaces/${namespace}/events/b`);
      const first = await frame(stream);
      expect([first.type, meta(first.object)['name']]).toEqual(['ADDED', 'b']);
      await stream.leave();
    },
  },
  {
    id: 'E047',
    level: 'MUST',
    title: 'malformed bodies of every kind are the client’s mistake and change nothing',
    async run({ ask, path }) {
      const bodies: (string | Uint8Array)[] = [
        '',
        '{',
        '[',
        'null x',
        '{"metadata":{"name":"a"}',
        '"text"',
        '5',
        '[]',
        '{"kind":"Foo"}',
        '{"metadata":5}',
        `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
        new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
        '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}',
        '{"metadata":{"labels":{"__proto__":"x"}}}',
        '{"deprecatedCount":2.0}',
        '{"eventTime":{}}',
        '\u0000',
      ];
      for (const body of bodies) {
        const { status } = await ask('POST', path(), body);
        expect([body.slice(0, 20), status === 400 || status === 422]).toEqual([body.slice(0, 20), true]);
      }
      expect(({} as Json)['x']).toBeUndefined();
      expect((await ask('GET', path())).json['items']).toEqual([]);
    },
  },
  {
    id: 'E048',
    level: 'MUST',
    title: 'an absurd option is 400 or 422 with its name or text, never a 500',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const integer = (text: string): string => `strconv.ParseInt: parsing "${text}": `;
      const uint = (text: string): string => `strconv.ParseUint: parsing "${text}": `;
      const cases: readonly (readonly [string, number, string])[] = [
        ['limit=x', 400, `${integer('x')}invalid syntax`],
        ['limit=', 400, `${integer('')}invalid syntax`],
        ['limit=99999999999999999999', 400, `${integer('99999999999999999999')}value out of range`],
        ['timeoutSeconds=1e9', 400, `${integer('1e9')}invalid syntax`],
        ['continue=%00', 400, 'continue key is not valid'],
        ['continue=bm90anNvbg', 400, 'continue key is not valid'],
        ['resourceVersion=-1', 400, `resourceVersion: Invalid value: "-1": ${uint('-1')}invalid syntax`],
        ['resourceVersion=0x10', 400, `resourceVersion: Invalid value: "0x10": ${uint('0x10')}invalid syntax`],
        ['timeout=forever', 400, 'invalid timeout specified in the request URL'],
        ['labelSelector=(((', 400, "found '(', expected: !, identifier, or 'end of string'"],
        ['fieldSelector=%5C', 400, 'invalid selector: '],
        ['fieldSelector=unknown%3Dx', 400, 'field label not supported: unknown'],
        ['resourceVersionMatch=x', 422, 'resourceVersionMatch: Unsupported value: "x"'],
        ['sendInitialEvents=1', 422, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
      ];
      for (const [query, code, text] of cases) {
        for (const url of [path(`?${query}`), `/apis/${API_VERSION}/events?${query}`]) {
          const { status, json } = await ask('GET', url);
          expect([url, status, json['kind'], json['code']]).toEqual([url, code, 'Status', code]);
          expect([url, json['message']]).toEqual([url, expect.stringContaining(text)]);
        }
      }
      for (const [query, text] of [
        ['dryRun=x', 'dryRun: Unsupported value: ["x"]'],
        ['dryRun=All&dryRun=x', 'dryRun: Unsupported value: ["All","x"]'],
        ['fieldValidation=x', 'fieldValidation: Unsupported value: "x"'],
        [`fieldManager=${'m'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
        ['fieldManager=%07', 'fieldManager: Invalid value: '],
      ] as const) {
        for (const [method, url] of [
          ['POST', path(`?${query}`)],
          ['PUT', path(`/a?${query}`)],
          ['PATCH', path(`/a?${query}`)],
        ] as const) {
          const { status, json } = await ask(method, url, event('a'), method === 'PATCH' ? MERGE : {});
          expect([method, query, status, json['message']]).toEqual([method, query, 422, expect.stringContaining(text)]);
        }
      }
      expect((await ask('GET', path('?timeoutSeconds=-1&limit=-1'))).status).toBe(200);
    },
  },
  {
    id: 'E049',
    level: 'MUST',
    title: 'an Audit-Id that was sent comes back',
    async run({ ask, path }) {
      expect((await ask('GET', path(), undefined, { 'audit-id': 'mine' })).headers['audit-id']).toBe('mine');
    },
  },
  {
    id: 'E050',
    level: 'SHOULD',
    title: 'a list over all namespaces is ordered by the bytes of namespace/name',
    async run({ ask, event, namespace }) {
      for (const ns of [namespace, `${namespace}-b`]) {
        const body = event('x', { regarding: { kind: 'Pod', namespace: ns, name: 'p' } });
        expect((await ask('POST', `/apis/${API_VERSION}/namespaces/${ns}/events`, body)).status).toBe(201);
      }
      const { json } = await ask('GET', `/apis/${API_VERSION}/events`);
      const own = (json['items'] as Json[])
        .map((item) => String(meta(item)['namespace']))
        .filter((ns) => ns.startsWith(namespace));
      expect(own).toEqual([`${namespace}-b`, namespace]);
    },
  },
  {
    id: 'E051',
    level: 'MUST',
    title: 'every field of a new event comes back as it was sent',
    async run({ ask, path, event, namespace }) {
      const reference = {
        kind: 'Pod',
        namespace,
        name: 'web-1',
        uid: '7d5c0a4e-0000-4000-8000-000000000001',
        apiVersion: 'v1',
        resourceVersion: '42',
        fieldPath: 'spec.containers{web}',
      };
      const sent = event('a', {
        metadata: { name: 'a', labels: { app: 'web' }, annotations: { 'example.com/why': 'test' } },
        series: { count: 2, lastObservedTime: '2026-03-05T06:07:09.654321Z' },
        regarding: reference,
        related: { ...reference, name: 'web-2' },
      });
      expect((await ask('POST', path(), sent)).status).toBe(201);
      const { json } = await ask('GET', path('/a'));
      expect(json).toMatchObject(sent);
    },
  },
  {
    id: 'E052',
    level: 'MUST',
    title: 'pretty is understood by every operation',
    async run({ ask, path, event }) {
      const indented = async (method: string, url: string, body?: unknown, headers?: Record<string, string>) => {
        const { text } = await ask(method, url, body, headers);
        expect([method, url, text.startsWith('{\n  "kind": ')]).toEqual([method, url, true]);
      };
      await indented('POST', path('?pretty=true'), event('a'));
      await indented('PUT', path('/a?pretty=true'), event('a'));
      await indented('PATCH', path('/a?pretty=true'), { metadata: { labels: { a: '1' } } }, MERGE);
      await indented('GET', path('/a?pretty=true'));
      await indented('GET', path('?pretty=true'));
      await indented('GET', `/apis/${API_VERSION}/events?pretty=true`);
      await indented('DELETE', path('/a?pretty=true'));
      await indented('DELETE', path('?pretty=true'));
    },
  },
  {
    id: 'E053',
    level: 'MUST',
    title: 'dryRun=All of update, patch and deletecollection changes nothing',
    async run({ ask, path, event }) {
      const created = await ask('POST', path(), event('a'));
      const metadata = { name: 'a', labels: { a: '1' } };
      const updated = await ask('PUT', path('/a?dryRun=All'), event('a', { metadata }));
      expect([updated.status, meta(updated.json)['labels']]).toEqual([200, { a: '1' }]);
      expect((await ask('PUT', path('/new?dryRun=All'), event('new'))).status).toBe(201);
      expect((await ask('PATCH', path('/a?dryRun=All'), { metadata }, MERGE)).status).toBe(200);
      expect((await ask('DELETE', path('?dryRun=All'))).status).toBe(200);
      expect((await ask('GET', path('/a'))).text).toBe(created.text);
      expect(names((await ask('GET', path())).json)).toEqual(['a']);
      expect((await ask('DELETE', path('?dryRun=yes'))).status).toBe(422);
    },
  },
  {
    id: 'E054',
    level: 'MUST',
    title: 'deletecollection with a limit says how to go on',
    async run({ ask, path, event }) {
      for (const name of ['a', 'b', 'c']) await ask('POST', path(), event(name));
      const first = await ask('DELETE', path('?limit=2'));
      expect([first.status, first.json['kind'], meta(first.json)['remainingItemCount']]).toEqual([200, 'Status', 1]);
      expect(names((await ask('GET', path())).json)).toEqual(['c']);
      const second = await ask('DELETE', path(`?limit=2&continue=${String(meta(first.json)['continue'])}`));
      expect([second.status, second.json['metadata']]).toEqual([200, {}]);
      expect(names((await ask('GET', path())).json)).toEqual([]);
    },
  },
  {
    id: 'E055',
    level: 'MUST',
    title: 'a list over all namespaces is paged and watched like that of one',
    async run({ ask, event, namespace, open }) {
      const own = `labelSelector=own%3D${namespace}`;
      const all = (query: string): string => `/apis/${API_VERSION}/events?${own}&${query}`;
      const create = (ns: string, name: string) => {
        const metadata = { name, labels: { own: namespace } };
        const body = event(name, { metadata, regarding: { kind: 'Pod', namespace: ns, name: 'p' } });
        return ask('POST', `/apis/${API_VERSION}/namespaces/${ns}/events`, body);
      };
      await create(namespace, 'x');
      await create(`${namespace}-b`, 'x');
      const first = (await ask('GET', all('limit=1'))).json;
      const second = (await ask('GET', all(`limit=1&continue=${String(meta(first)['continue'])}`))).json;
      const pages = [first, second].flatMap((list) => list['items'] as Json[]);
      expect(pages.map((item) => meta(item)['namespace'])).toEqual([`${namespace}-b`, namespace]);
      const stream = await open(all(`watch=true&resourceVersion=${String(meta(second)['resourceVersion'])}`));
      await create(`${namespace}-b`, 'y');
      const added = await frame(stream);
      expect([added.type, meta(added.object)['namespace']]).toEqual(['ADDED', `${namespace}-b`]);
      await stream.leave();
    },
  },
  {
    id: 'E056',
    level: 'MUST',
    title: 'force is refused for patches that are not server-side apply',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a'));
      const { status, json } = await ask('PATCH', path('/a?force=true'), { metadata: { labels: { a: '1' } } }, MERGE);
      expect([status, json['message']]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      ]);
    },
  },
  {
    id: 'E057',
    level: 'MUST',
    title: 'a delete that waits for finalizers is 202 under orphanDependents=false',
    async run({ ask, path, event }) {
      await ask('POST', path(), event('a', { metadata: { name: 'a', finalizers: ['example.com/x'] } }));
      const { status, json } = await ask('DELETE', path('/a'), { orphanDependents: false });
      expect([status, json['kind'], meta(json)['name']]).toEqual([202, 'Event', 'a']);
    },
  },
  {
    id: 'E058',
    level: 'MUST',
    title: 'server-side apply creates, owns what it sets, and conflicts with other managers unless forced',
    async run({ ask, path, event }) {
      const intent = (count: number): unknown =>
        event('a', { series: { count, lastObservedTime: '2026-03-05T06:09:09.000000Z' } });
      const apply = (manager: string, count: number, more = '') =>
        ask('PATCH', path(`/a?fieldManager=${manager}${more}`), intent(count), {
          'content-type': 'application/apply-patch+yaml',
        });
      const created = await apply('one', 2);
      expect([created.status, (meta(created.json)['managedFields'] as Json[])[0]?.['operation']]).toEqual([
        201,
        'Apply',
      ]);
      const again = await apply('one', 2);
      expect([again.status, meta(again.json)['resourceVersion']]).toEqual([200, meta(created.json)['resourceVersion']]);
      const refused = await apply('two', 3);
      expect([refused.status, refused.json['message']]).toEqual([
        409,
        'Apply failed with 1 conflict: conflict with "one": .series.count',
      ]);
      const forced = await apply('two', 3, '&force=true');
      expect([forced.status, (forced.json['series'] as Json)['count']]).toEqual([200, 3]);
    },
  },
  {
    id: 'E059',
    level: 'MUST',
    title: 'who writes is recorded: by fieldManager, else by the User-Agent',
    async run({ ask, path, event }) {
      const managers = (json: Json): unknown[] =>
        (meta(json)['managedFields'] as Json[]).map((entry) => [entry['manager'], entry['operation']]);
      const created = await ask('POST', path(), event('a'), { 'user-agent': 'tester/1.0 (linux)' });
      expect(managers(created.json)).toEqual([['tester', 'Update']]);
      const labels = { metadata: { labels: { a: '1' } } };
      const patched = await ask('PATCH', path('/a?fieldManager=other'), labels, MERGE);
      expect(managers(patched.json)).toContainEqual(['other', 'Update']);
    },
  },
  {
    id: 'E060',
    level: 'SHOULD',
    title: 'order=newest-first lists by descending resourceVersion, page by page at one revision',
    async run({ ask, path, event }) {
      for (const name of ['a', 'b', 'c', 'd']) await ask('POST', path(), event(name));
      await ask('PATCH', path('/b'), { metadata: { labels: { a: '1' } } }, MERGE);
      const newest = path('?order=newest-first&limit=2');
      const first = (await ask('GET', newest)).json;
      await ask('PATCH', path('/a'), { metadata: { labels: { a: '1' } } }, MERGE);
      const second = (await ask('GET', `${newest}&continue=${String(meta(first)['continue'])}`)).json;
      expect([names(first), names(second), meta(second)['continue']]).toEqual([['b', 'd'], ['c', 'a'], undefined]);
      expect(meta(second)['resourceVersion']).toBe(meta(first)['resourceVersion']);
    },
  },
];
