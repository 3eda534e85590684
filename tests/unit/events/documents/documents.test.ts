import { describe, expect, test } from 'vitest';
import { storageVersionHash } from '../../../../src/api/discovery/documents.js';
import { createDocuments, type Documents } from '../../../../src/events/documents/documents.js';
import { coreV1 } from '../../../../src/events/versions/core-v1.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';

type Json = Record<string, unknown>;

const GROUP = 'events.example.com';
const versions = [eventsV1('example.com'), coreV1('example.com')];
const documents = (roots?: boolean): Documents => createDocuments(versions, roots);

async function read(path: string, from = documents()): Promise<{ status: number; text: string }> {
  const { status, body } = await from.respond({ method: 'GET', url: path, headers: {} }, path, new Map());
  return { status, text: typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array) };
}

const json = async (path: string): Promise<Json> => JSON.parse((await read(path)).text) as Json;

describe('discovery', () => {
  test('describes the resource in the same way in both versions', async () => {
    const resource = {
      name: 'events',
      singularName: 'event',
      namespaced: true,
      kind: 'Event',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['ev'],
      storageVersionHash: await storageVersionHash({ group: GROUP, version: 'v1' }, 'Event'),
    };
    const kind = 'APIResourceList';
    expect(await json(`/apis/${GROUP}/v1`)).toEqual({
      kind,
      apiVersion: 'v1',
      groupVersion: `${GROUP}/v1`,
      resources: [resource],
    });
    expect(await json('/api/v1')).toEqual({ kind, groupVersion: 'v1', resources: [resource] });
  });

  test('lists core/v1 only where it is served', async () => {
    expect((await json('/api'))['versions']).toEqual(['v1']);
    expect((await json('/apis'))['groups']).toMatchObject([{ name: GROUP }]);
    const [stored] = versions;
    const alone = createDocuments([stored as (typeof versions)[0]], true);
    expect((await read('/api/v1', alone)).status).toBe(404);
    expect(JSON.parse((await read('/api', alone)).text)).toMatchObject({ versions: [] });
  });
});

describe('the roots', () => {
  const roots = ['/api', '/api/', '/apis', '/apis/', '/openapi/v2', '/openapi/v3'];
  const own = ['/openapi/v3/api/v1', `/openapi/v3/apis/${GROUP}/v1`];
  const other = '/openapi/v3/apis/apps/v1';

  test.each([
    [true, true, [true, true, false]],
    [true, false, [true, true, true]],
    [undefined, true, [false, true, false]],
    [undefined, false, [true, true, true]],
    [false, true, [false, false, false]],
    [false, false, [false, false, false]],
  ] as const)('with roots: %s and hasNext: %s are claimed as documented', (given, hasNext, expected) => {
    const claims = (path: string): boolean => documents(given).claims(path, hasNext);
    for (const path of roots) expect(claims(path), path).toBe(expected[0]);
    for (const path of own) expect(claims(path), path).toBe(expected[1]);
    expect(claims(other)).toBe(expected[2]);
    expect(claims('/apis/apps')).toBe(false);
  });

  test('include the OpenAPI documents, unless the option roots is false', async () => {
    for (const path of ['/openapi/v3', ...own]) {
      for (const given of [true, undefined]) expect((await read(path, documents(given))).status).toBe(200);
      expect(await read(path, documents(false))).toEqual({ status: 404, text: '404 page not found\n' });
    }
  });
});

describe('a path that is no document', () => {
  test.each([`/apis/${GROUP}/v1/pods`, `/apis/${GROUP}/v2`, '/api/v1/events/a/b/c'])(
    'is refused with a Status below a version: %s',
    async (path) => {
      await expect(read(path)).rejects.toMatchObject({
        status: { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
      });
    },
  );

  test.each([`/apis/${GROUP}/v1/watch/`, '/api/v1/watch/', '/apis/apps/v1'])(
    'is refused with a text elsewhere: %s',
    async (path) => {
      expect(await read(path)).toEqual({ status: 404, text: '404 page not found\n' });
    },
  );
});
