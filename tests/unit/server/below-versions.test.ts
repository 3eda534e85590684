import { describe, expect, it } from 'vitest';
import { allowRules } from '../../../src/auth/allow-rules.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import { createApiServer, type ApiServerOptions } from '../../../src/server/create-api-server.js';
import { call } from '../../../src/testing/call.js';

const options: ApiServerOptions = {
  health: { handle: () => undefined },
  events: { handle: () => undefined },
  authenticate: staticTokens({ admin: { name: 'admin' }, viewer: { name: 'viewer' } }),
  authorize: allowRules([
    { users: ['admin'], verbs: ['*'], resources: ['*'], paths: ['*'] },
    { users: ['viewer'], verbs: ['get'], paths: ['/version'] },
  ]),
  impersonation: true,
  extraPaths: ['/api', '/api/v1', '/apis', '/apis/events.example.com', '/apis/events.example.com/v1'],
};
const { handle } = createApiServer(options);

describe('a missing path', () => {
  it.each([
    '/api/v1/pods',
    '/api/v1/namespaces/a/pods/x',
    '/api/v2',
    '/api/v2/pods',
    '/api/v1x',
    '/apis/events.example.com/v1/x',
    '/apis/events.example.com/v9',
  ])('gets a Status if it lies below what is served: %s', async (path) => {
    const response = await call(handle, `GET ${path}`, { token: 'admin' });
    expect(await response.json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    });
  });

  it.each(['/apis/apps/v1/deployments', '/apix', '/x', '/api/v1/watch/'])('gets a text for %s', async (path) => {
    const response = await call(handle, `GET ${path}`, { token: 'admin' });
    expect([response.status, await response.text()]).toEqual([404, '404 page not found\n']);
  });
});

describe('a namespace', () => {
  it('is no missing path, because kubectl would print its 404 in place of that of an event', async () => {
    const response = await call(handle, 'GET /api/v1/namespaces/a', { token: 'admin' });
    expect(await response.json()).toMatchObject({
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      code: 405,
    });
    expect((await call(handle, 'GET /api/v1/namespaces/a', { token: 'viewer' })).status).toBe(403);
  });

  it.each([
    'GET /api/v1/namespaces',
    'GET /api/v1/namespaces/a/status',
    'DELETE /api/v1/namespaces/a',
    'GET /apis/events.example.com/v1/namespaces/a',
  ])('is not requested by %s', async (request) => {
    expect((await call(handle, request, { token: 'admin' })).status).toBe(404);
  });
});

describe('impersonation on the other paths', () => {
  it('uses the rights of the impersonated user', async () => {
    const headers = { 'impersonate-user': 'viewer' };
    expect((await call(handle, 'GET /version', { token: 'admin', headers })).status).toBe(200);
    const refused = await call(handle, 'GET /', { token: 'admin', headers });
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
    expect(await refused.json()).toMatchObject({
      code: 403,
      message: 'forbidden: User "viewer" cannot get path "/"',
      details: {},
    });
    const pods = await call(handle, 'GET /api/v1/pods', { token: 'viewer', headers: { 'impersonate-user': 'admin' } });
    expect(await pods.json()).toMatchObject({
      message:
        'pods is forbidden: User "viewer" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    });
  });

  it('is a 400 for groups without a user', async () => {
    const response = await call(handle, 'GET /version', { token: 'admin', headers: { 'impersonate-uid': '1' } });
    expect([response.status, response.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
  });

  it('is off by default, which refuses the headers, and a faulty option is named', async () => {
    const { impersonation: _, ...rest } = options;
    const plain = createApiServer(rest).handle;
    const response = await call(plain, 'GET /', { token: 'admin', headers: { 'impersonate-user': 'viewer' } });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('impersonation is not enabled on this server');
    expect(() => createApiServer({ ...rest, impersonation: 'on' as unknown as boolean })).toThrow(
      'createApiServer: impersonation must be true or false',
    );
  });
});
