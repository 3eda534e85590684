import { describe, expect, it } from 'vitest';
import { allowRules } from '../../../src/auth/allow-rules.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import { createImpersonation } from '../../../src/auth/impersonation.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthOptions } from '../../../src/health/options.js';
import { get } from './asking.js';

const hooks = {
  authenticate: staticTokens({ admin: { name: 'admin' }, viewer: { name: 'viewer' } }),
  authorize: allowRules([
    { users: ['admin'], verbs: ['*'], resources: ['*'], paths: ['*'] },
    { users: ['viewer'], verbs: ['get'], paths: ['/readyz*'] },
  ]),
};

function health(more: HealthOptions = {}) {
  return createHealth({ ...hooks, impersonation: createImpersonation, ...more });
}

const as = (token: string, headers: Record<string, string>) => ({
  headers: { authorization: `Bearer ${token}`, ...headers },
});

describe('impersonation', () => {
  it('checks the rights of the impersonated user', async () => {
    expect((await get(health(), '/readyz/ping', as('admin', { 'impersonate-user': 'viewer' }))).status).toBe(200);
    const refused = await get(health(), '/livez/ping', as('admin', { 'impersonate-user': 'viewer' }));
    expect(refused.status).toBe(403);
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
    expect(refused.text).toContain('User \\"viewer\\" cannot get path \\"/livez/ping\\"');
  });

  it('refuses callers who may not, and groups without a user', async () => {
    const refused = await get(health(), '/readyz/ping', as('viewer', { 'impersonate-user': 'admin' }));
    expect(refused.text).toContain('User \\"viewer\\" cannot impersonate-on:user-info:get path \\"/readyz/ping\\"');
    const wrong = await get(health(), '/readyz/ping', as('viewer', { 'impersonate-group': 'g' }));
    expect([wrong.status, wrong.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
  });

  it('is ignored on open endpoints, which need no authentication', async () => {
    expect((await get(health(), '/livez', { headers: { 'impersonate-user': 'jane' } })).status).toBe(200);
    const closed = health({ roots: 'authorized' });
    expect((await get(closed, '/livez', as('admin', { 'impersonate-user': 'viewer' }))).status).toBe(403);
  });

  it('is off by default: the headers are refused for every caller, on open endpoints too', async () => {
    const wanted = { 'impersonate-user': 'viewer' };
    for (const plain of [createHealth(hooks), createHealth({ ...hooks, roots: 'authorized' })]) {
      for (const url of ['/livez/ping', '/livez', '/readyz?verbose']) {
        const refused = await get(plain, url, as('admin', wanted));
        expect(refused).toMatchObject({ status: 403, headers: { 'x-content-type-options': 'nosniff' } });
        expect(refused.text).toContain('impersonation is not enabled on this server');
        expect((await get(plain, url, as('admin', {}))).status).toBe(200);
      }
    }
    expect((await get(createHealth(), '/healthz', { headers: { 'impersonate-uid': '1' } })).status).toBe(403);
    expect((await get(createHealth(), '/healthz/ping', { headers: wanted })).status).toBe(403);
    expect((await get(createHealth(), '/healthz', { headers: { 'impersonate-user': undefined } })).status).toBe(200);
  });

  it('is a bare 500 when a hook throws', async () => {
    const broken = health({
      authorize: () => {
        throw new Error('secret');
      },
    });
    expect(await get(broken, '/livez/ping', as('admin', { 'impersonate-user': 'viewer' }))).toMatchObject({
      status: 500,
      text: 'Internal Server Error\n',
    });
  });
});
