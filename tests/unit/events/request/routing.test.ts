import { describe, expect, test } from 'vitest';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { requirePathName, routeOf, scopeOf } from '../../../../src/events/request/scope.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';
import { decodePath, parseQuery, splitUrl } from '../../../../src/http/url.js';
import { bench, event, ROOT } from '../bench.js';

const versions = [eventsV1('example.com')];

function scopeAt(target: string) {
  const [method = '', url = ''] = target.split(' ');
  const { path, query } = splitUrl(url);
  return scopeOf(method, decodePath(path) ?? path, parseQuery(query), versions);
}

/** The verb of the route, or the status of the refusal. */
function routeAt(target: string): string | number {
  const scope = scopeAt(target);
  if (!scope) return 'no scope';
  try {
    const { verb } = routeOf(scope, target.split(' ')[0] ?? '', versions);
    requirePathName(scope.name);
    return `${verb} ${scope.namespace}/${scope.name}`;
  } catch (error) {
    if (!isStatusFailure(error)) throw error;
    return error.status.code ?? 0;
  }
}

describe('the route of a request', () => {
  test.each([
    ['GET /namespaces/a/events', 'list a/'],
    ['GET /namespaces/a/events/', 'list a/'],
    ['GET /namespaces/a/events?watch', 'watch a/'],
    ['GET /namespaces/a/events?watch=0', 'list a/'],
    ['GET /namespaces/a/events?watch=false', 'list a/'],
    ['GET /events', 'list /'],
    ['GET /events?watch=true', 'watch /'],
    ['GET /namespaces/a/events/x', 'get a/x'],
    ['GET /namespaces/a/events/x?watch=1', 'get a/x'],
    ['GET /namespaces/a/events/x/', 'get a/x'],
    ['POST /namespaces/a/events', 'create a/'],
    ['PUT /namespaces/a/events/x', 'update a/x'],
    ['PATCH /namespaces/a/events/x', 'patch a/x'],
    ['DELETE /namespaces/a/events/x', 'delete a/x'],
    ['DELETE /namespaces/a/events', 'deletecollection a/'],
    ['GET /watch/events', 'watch /'],
    ['GET /watch/namespaces/a/events', 'watch a/'],
    ['GET /watch/namespaces/a/events/x', 'watch a/x'],
    ['GET /namespaces/watch/events', 'list watch/'],
    ['GET /namespaces/namespaces/events', 'list namespaces/'],
    ['GET /namespaces/events/events/events', 'get events/events'],
    ['POST /namespaces/a/events/x', 405],
    ['PUT /namespaces/a/events', 405],
    ['PATCH /namespaces/a/events', 405],
    ['POST /events', 405],
    ['DELETE /events', 405],
    ['HEAD /namespaces/a/events', 405],
    ['HEAD /namespaces/a/events/x', 405],
    ['OPTIONS /namespaces/a/events', 405],
    ['TRACE /namespaces/a/events', 405],
    ['FROBNICATE /namespaces/a/events', 405],
    ['POST /watch/namespaces/a/events', 405],
    ['DELETE /watch/namespaces/a/events/x', 405],
    ['GET /pods', 404],
    ['GET /namespaces/a/pods', 404],
    ['GET /namespaces/a', 404],
    ['GET /namespaces/a/events/x/status', 404],
    ['GET /namespaces/a/events/x/y/z', 404],
    ['GET /namespaces/a/events/x%2Fy', 404],
    ['GET /namespaces/a/events//', 404],
    ['GET /namespaces/a/events//x', 404],
    ['GET /namespaces/a//events', 404],
    ['GET //namespaces/a/events', 404],
    ['GET /namespaces/a/Events', 404],
    ['GET /namespaces/a/events/..', 400],
    ['GET /namespaces/a/events/.', 400],
    ['GET /namespaces/a/events/%2E%2E', 400],
    ['GET /namespaces/a/events/x%25', 400],
    ['GET /watch', 404],
    ['GET /proxy/events', 404],
    ['GET /proxy/namespaces/a/events', 404],
    ['GET /proxy/namespaces/a/events/x', 404],
    ['GET /events/x', 404],
    ['PUT /events/x', 404],
    ['POST /events/x', 404],
    ['HEAD /events/x', 404],
    ['GET /watch/events/x', 404],
    ['GET /namespaces//events', 'list /'],
    ['GET /namespaces//events/x', 400],
    ['PUT /namespaces//events/x', 400],
    ['PATCH /namespaces//events/x', 400],
    ['DELETE /namespaces//events/x', 400],
    ['POST /namespaces//events', 400],
    ['DELETE /namespaces//events', 400],
    ['GET /watch/namespaces//events/x', 400],
    ['GET /namespaces///events/x', 404],
  ])('for %s is %s', (target, expected) => {
    const [method, rest] = target.split(' ');
    expect(routeAt(`${method} ${ROOT}${rest}`)).toBe(expected);
  });

  test('for a client whose namespace is empty names what is missing', async () => {
    const { json } = bench();
    const { status, json: body } = await json(`DELETE ${ROOT}/namespaces//events/x`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: 'Namespace parameter required.', reason: 'BadRequest' });
  });

  test('for another version of the group is not found', () => {
    expect(routeAt('GET /apis/events.example.com/v1beta1/events')).toBe(404);
  });

  test.each([
    '/apis',
    '/apis/events.example.com',
    '/apis/events.example.com/',
    ROOT,
    `${ROOT}/`,
    `${ROOT}/watch/`,
    '/api/v1/events',
    '/',
  ])('for %s is a document, not a resource', (path) => expect(scopeAt(`GET ${path}`)).toBeUndefined());
});

describe('the authorizer is called for', () => {
  test.each([
    ['GET /namespaces/a/events/x', { verb: 'get', namespace: 'a', name: 'x' }],
    ['GET /events', { verb: 'list' }],
    ['GET /namespaces/a/events?fieldSelector=metadata.name%3Dx', { verb: 'list', namespace: 'a', name: 'x' }],
    ['GET /events?watch=1&fieldSelector=metadata.name%3Dx', { verb: 'watch', name: 'x' }],
    ['GET /events?fieldSelector=metadata.name%3D%3D%3D', { verb: 'list' }],
    ['GET /events?fieldSelector=metadata.name!%3Dx', { verb: 'list' }],
    ['GET /events?fieldSelector=metadata.name%3Da/b', { verb: 'list' }],
    ['GET /watch/namespaces/a/events?fieldSelector=metadata.name%3Dx', { verb: 'watch', namespace: 'a' }],
    ['DELETE /namespaces/a/events?fieldSelector=metadata.name%3Dx', { verb: 'deletecollection', namespace: 'a' }],
    ['POST /namespaces/a/events?fieldSelector=metadata.name%3Dx', { verb: 'create', namespace: 'a' }],
    ['GET /watch/namespaces/a/events/x', { verb: 'watch', namespace: 'a', name: 'x' }],
  ])('the attributes of the request %s', (target, expected) => {
    const [method, rest] = target.split(' ');
    expect(scopeAt(`${method} ${ROOT}${rest}`)?.attributes).toEqual({
      group: 'events.example.com',
      version: 'v1',
      resource: 'events',
      ...expected,
    });
  });

  test('a subresource by name, so that a rule for the resource does not cover it', () => {
    expect(scopeAt(`GET ${ROOT}/namespaces/a/events/x/status`)?.attributes).toMatchObject({
      resource: 'events',
      subresource: 'status',
    });
  });

  test('an unknown path before it is found missing', async () => {
    const { json } = bench({ authorize: () => ({ allowed: false }) });
    expect((await json(`GET ${ROOT}/nonsense`)).status).toBe(403);
    expect((await json(`GET ${ROOT}/namespaces/a/events/x%2Fy`)).status).toBe(403);
  });
});

describe('the paths of the Event API', () => {
  test.each([
    ['/apis/events.example.com/v1/events', true],
    ['/apis/events.example.com', true],
    ['/apis', true],
    ['/api', true],
    ['/openapi/v3', true],
    ['/apis/events.example.comical/v1', false],
    ['/apis/events.example.org/v1/events', false],
    ['/apjs/events.example.com/v1/events', false],
    ['/api/v1/namespaces/default/events', false],
    ['/apis/other/v1', false],
    ['/orders', false],
    ['/', false],
    ['', false],
  ])('include or exclude %s: %s', async (url, ours) => {
    const { events } = bench();
    const response = await events.handle({ method: 'GET', url });
    expect(response !== undefined).toBe(ours);
  });

  test.each([
    ['/api', false],
    ['/api/', false],
    ['/apis', false],
    ['/apis/', false],
    ['/openapi/v2', false],
    ['/openapi/v3', false],
    ['/openapi/v3/apis/other/v1', false],
    ['/openapi/v3/apis/events.example.com/v1', true],
    ['/apis/events.example.com', true],
    ['/apis/events.example.com/v1', true],
    ['/apis/events.example.com/v2', true],
  ])('leave to the next routes what is not below the own group: %s is claimed: %s', async (url, ours) => {
    const request = { method: 'GET', url, hasNext: true };
    expect((await bench().events.handle(request)) !== undefined).toBe(ours);
    expect(await bench().events.handle({ ...request, hasNext: false })).toBeDefined();
    const claimed = await bench({ discovery: true }).events.handle(request);
    expect(claimed !== undefined).toBe(url !== '/openapi/v3/apis/other/v1');
  });

  test('exclude the common documents with discovery: false', async () => {
    const { events } = bench({ discovery: false });
    for (const url of ['/apis', '/api', '/openapi/v3'])
      expect(await events.handle({ method: 'GET', url })).toBe(undefined);
    expect((await events.handle({ method: 'GET', url: '/apis/events.example.com/v1' }))?.status).toBe(200);
  });

  test('may contain names that have a meaning elsewhere', async () => {
    const { json } = bench();
    for (const namespace of ['watch', 'namespaces', 'events', 'constructor']) {
      const url = `${ROOT}/namespaces/${namespace}/events`;
      for (const name of ['watch', 'namespaces', 'events', 'constructor', 'prototype']) {
        expect((await json(`POST ${url}`, event(name, { regarding: { namespace } }))).status).toBe(201);
        expect((await json(`GET ${url}/${name}`)).status).toBe(200);
      }
    }
  });
});

describe('a missing resource', () => {
  test.each(['GET', 'DELETE', 'PUT'])(
    'gets a 404 without details for %s of an event without a namespace',
    async (method) => {
      const { json } = bench();
      const response = await json(`${method} ${ROOT}/events/x`);
      expect(response.status).toBe(404);
      expect(response.json).toMatchObject({ message: 'the server could not find the requested resource', details: {} });
    },
  );

  test('gets a text 404 for the old watch path without a resource', async () => {
    const { ask } = bench();
    const response = await ask(`GET ${ROOT}/watch/`);
    expect([response.status, response.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe('404 page not found\n');
  });
});
