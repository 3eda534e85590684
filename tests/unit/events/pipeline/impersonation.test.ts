import { describe, expect, test } from 'vitest';
import { allowRules } from '../../../../src/auth/allow-rules.js';
import { staticTokens } from '../../../../src/auth/static-tokens.js';
import { bench, event, path, type Bench } from '../bench.js';

const GROUP = 'events.example.com';

const api = (impersonation?: boolean): Bench =>
  bench({
    authenticate: staticTokens({ admin: { name: 'admin', groups: ['system:masters'] }, viewer: { name: 'viewer' } }),
    authorize: allowRules([
      { groups: ['system:masters'], verbs: ['*'], resources: ['*'], paths: ['*'] },
      { users: ['viewer'], verbs: ['get', 'list', 'watch'], resources: ['events'] },
    ]),
    ...(impersonation !== undefined && { impersonation }),
  });

const as = (token: string, headers: Record<string, string | string[]>) => ({ token, headers });

describe('impersonation', () => {
  test('uses the rights and the name of the impersonated user', async () => {
    const { ask, observed } = api(true);
    const refused = await ask(`GET ${path()}`, as('admin', { 'impersonate-user': 'jane' }));
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
    expect(await refused.json()).toMatchObject({
      code: 403,
      message: `events.${GROUP} is forbidden: User "jane" cannot list resource "events" in API group "${GROUP}" in the namespace "default"`,
    });
    expect((await ask(`GET ${path()}`, as('admin', { 'impersonate-user': 'viewer' }))).status).toBe(200);
    const create = { ...as('admin', { 'impersonate-user': 'viewer' }), json: event('a') };
    expect((await ask(`POST ${path()}`, create)).status).toBe(403);
    const masters = { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'system:masters'] };
    expect((await ask(`GET ${path()}`, as('admin', masters))).status).toBe(200);
    const requests = observed.filter(({ type }) => type === 'request');
    expect(requests[1]).toMatchObject({ caller: 'viewer', impersonator: 'admin', status: 200 });
  });

  test('is refused with the name of a caller who may not', async () => {
    const { ask } = api(true);
    const refused = await ask(`GET ${path()}`, as('viewer', { 'impersonate-user': 'admin' }));
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
    expect(await refused.json()).toMatchObject({
      code: 403,
      details: { group: GROUP, kind: 'events' },
      message: `events.${GROUP} is forbidden: User "viewer" cannot impersonate-on:user-info:list resource "events" in API group "${GROUP}" in the namespace "default"`,
    });
  });

  test('is refused for a group without a user, in the negotiated representation', async () => {
    const { ask } = api(true);
    const headers = { 'impersonate-group': 'g', accept: 'application/yaml' };
    const response = await ask(`GET ${path()}`, as('admin', headers));
    expect([response.status, response.headers['content-type'], response.headers['x-content-type-options']]).toEqual([
      ...[400, 'application/yaml', 'nosniff'],
    ]);
  });

  test('applies to discovery as well', async () => {
    const { ask } = api(true);
    const response = await ask('GET /apis', as('admin', { 'impersonate-user': 'jane' }));
    expect(await response.json()).toMatchObject({
      code: 403,
      message: 'forbidden: User "jane" cannot get path "/apis"',
    });
  });

  test('is available to callers of events.as', async () => {
    const { events } = api(true);
    const handle = events.as({ name: 'me', groups: ['system:masters'] });
    const response = await handle({ method: 'GET', url: path(), headers: { 'impersonate-user': 'jane' } });
    expect(response?.status).toBe(403);
  });

  test('is off by default: requests with one of the headers are refused, without effect', async () => {
    const { ask, observed, create } = api();
    const { events } = api();
    await expect(create('kept')).rejects.toThrow('401');
    expect((await ask(`POST ${path()}`, { token: 'admin', json: event('kept') })).status).toBe(201);
    for (const headers of [
      { 'impersonate-user': 'nobody' },
      { 'impersonate-user': '' },
      { 'impersonate-group': ['system:masters'] },
      { 'impersonate-uid': '7' },
      { 'impersonate-extra-scopes': 'x' },
      { 'impersonate-something-new': 'x' },
    ]) {
      for (const target of [`DELETE ${path('/kept')}`, `GET ${path()}`, `GET ${path('?watch=true')}`, 'GET /apis']) {
        const response = await ask(target, as('admin', headers));
        expect([response.status, response.headers['x-content-type-options']]).toEqual([403, 'nosniff']);
        expect(await response.json()).toMatchObject({
          kind: 'Status',
          reason: 'Forbidden',
          message: expect.stringContaining('impersonation is not enabled on this server') as string,
        });
      }
    }
    expect((await ask(`GET ${path('/kept')}`, as('admin', {}))).status).toBe(200);
    expect((await ask(`GET ${path()}`, { headers: { 'impersonate-user': 'admin' } })).status).toBe(401);
    expect(observed.filter((one) => 'impersonator' in one)).toEqual([]);
    const own = await events.as({ name: 'me', groups: ['system:masters'] })({
      method: 'GET',
      url: path(),
      headers: { 'Impersonate-User': 'jane' },
    });
    expect(own?.status).toBe(403);
  });

  test('is a bare 500 when the authorizer throws, which is reported', async () => {
    const { ask, observed } = bench({
      impersonation: true,
      authorize: () => {
        throw new Error('secret');
      },
    });
    const response = await ask(`GET ${path()}`, { headers: { 'impersonate-user': 'jane' } });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(observed.some(({ type }) => type === 'error')).toBe(true);
  });

  test('reports faults of both options', () => {
    expect(() => bench({ impersonation: 'yes' as unknown as boolean, coreV1: 1 as unknown as boolean })).toThrow(
      /coreV1 must be true or false; impersonation must be true or false/,
    );
  });
});
