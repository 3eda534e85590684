import { describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthOptions } from '../../../src/health/options.js';
import type { Observation } from '../../../src/observe/observation.js';
import { get } from './asking.js';

const NOT_FOUND = {
  status: 404,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  text: '404 page not found\n',
};

const hooks: HealthOptions = {
  authenticate: ({ headers }) => {
    const name = headers?.['x-user'];
    if (name === 'broken') throw new Error('bad credential');
    return typeof name === 'string' ? { name, groups: [] } : undefined;
  },
  authorize: ({ name }, attributes) => {
    if (name === 'crash') throw new Error('the authorizer has a secret problem');
    if (name === 'garbage') return undefined as never;
    if (name === 'root') return { allowed: true };
    return 'path' in attributes && attributes.path === '/readyz'
      ? { allowed: true }
      : { allowed: false, ...(name === 'reasoned' && { reason: 'not today' }) };
  },
};
const as = (user: string) => ({ headers: { 'x-user': user } });

describe('the path of a single check', () => {
  it.each(['/livez/ping', '/readyz/log', '/healthz/ping?exclude=ping&verbose', '/livez%2Fping', '/readyz/shutdown'])(
    'responds with ok and without nosniff: %s',
    async (url) => {
      expect(await get(createHealth(), url)).toEqual({
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' },
        text: 'ok',
      });
    },
  );

  it.each([
    '/livez/',
    '/livez/ping/',
    '/livez/PING',
    '/livez//ping',
    '/livez/shutdown',
    '/healthz/shutdown',
    '/readyz/__proto__',
  ])('is not found for %s', async (url) => {
    expect(await get(createHealth(), url)).toEqual(NOT_FOUND);
  });

  it('may have names with slashes, escaped or not, only below the endpoints they count for', async () => {
    const health = createHealth();
    health.add({ name: 'stores/main', check: () => true });
    expect((await get(health, '/readyz/stores/main')).text).toBe('ok');
    expect((await get(health, '/readyz/stores%2Fmain')).text).toBe('ok');
    expect((await get(health, '/livez/stores/main')).status).toBe(404);
  });

  it('responds to HEAD with the length of GET', async () => {
    const length = async (url: string) =>
      (await get(createHealth(), url, { method: 'HEAD' })).headers['content-length'];
    expect(await length('/livez/ping')).toBe('2');
    expect(await length('/livez/nope')).toBe('19');
  });

  it('withholds the reason when there are no hooks, and reports it to observe', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    health.add({ name: 'database', check: () => ({ ok: false, reason: 's3cret' }) });
    expect(await get(health, '/readyz/database')).toMatchObject({
      status: 500,
      headers: { 'x-content-type-options': 'nosniff' },
      text: 'internal server error: reason withheld\n',
    });
    // Strictly: a check that threw nothing has no error.
    expect(seen.filter(({ type }) => type === 'health.failed')).toStrictEqual([
      { type: 'health.failed', root: 'readyz', failures: [{ name: 'database', reason: 's3cret' }] },
    ]);
  });
});

describe('with hooks', () => {
  const guarded = (options: HealthOptions = {}) => {
    const health = createHealth({ ...hooks, ...options });
    health.add({ name: 'database', check: () => ({ ok: false, reason: 's3cret' }) });
    health.add({ name: 'mail', check: () => new Error('queue full'), critical: false });
    return health;
  };

  it('endpoints are open to everyone, whatever the method, without authentication', async () => {
    let asked = 0;
    const health = guarded({ authenticate: () => void asked++ });
    expect((await get(health, '/livez')).text).toBe('ok');
    expect((await get(health, '/livez?verbose', { method: 'POST' })).status).toBe(200);
    expect((await get(health, '/livez', as('broken'))).status).toBe(200);
    expect(asked).toBe(0);
  });

  it('a single check is 401 without a credential, and with a bad one', async () => {
    for (const options of [undefined, as('broken')]) {
      const { status, headers, text } = await get(guarded(), '/readyz/ping', options);
      expect(status).toBe(401);
      expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
      expect(JSON.parse(text ?? '')).toMatchObject({ kind: 'Status', message: 'Unauthorized', code: 401 });
    }
  });

  it('a single check is 403 without the right, whether it exists or not', async () => {
    for (const [url, method, verb, path] of [
      ['/readyz/database', 'GET', 'get', '/readyz/database'],
      ['/livez%2Fnope?verbose', 'HEAD', 'head', '/livez/nope'],
      ['/livez/', 'POST', 'post', '/livez/'],
    ] as const) {
      const response = await get(guarded(), url, { method, ...as('jane') });
      expect(response.status).toBe(403);
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-cache, private',
        'x-content-type-options': 'nosniff',
      });
      if (method === 'HEAD') continue;
      expect(JSON.parse(response.text ?? '')).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `forbidden: User "jane" cannot ${verb} path "${path}"`,
        reason: 'Forbidden',
        details: {},
        code: 403,
      });
    }
    expect((await get(guarded(), '/livez/x', as('reasoned'))).text).toContain('path \\"/livez/x\\": not today"');
  });

  it('the reason is shown to an authorized caller, on the single check only', async () => {
    expect((await get(guarded(), '/readyz/database', as('root'))).text).toBe('internal server error: s3cret\n');
    expect(await get(guarded(), '/readyz/mail', as('root'))).toMatchObject({
      status: 200,
      text: 'ok\ndegraded: queue full\n',
    });
    expect((await get(guarded(), '/readyz/nope', as('root'))).status).toBe(404);
    expect((await get(guarded(), '/readyz', as('root'))).text).not.toContain('s3cret');
  });

  it("roots: 'authorized' requires authorization for the endpoints as well", async () => {
    const health = guarded({ roots: 'authorized' });
    expect((await get(health, '/readyz')).status).toBe(401);
    expect((await get(health, '/livez', as('jane'))).status).toBe(403);
    expect((await get(health, '/readyz?verbose', as('jane'))).text).toContain('reason withheld');
    expect((await get(health, '/livez', as('root'))).text).toBe('ok');
  });

  it('a bad timeout is 400 before authentication', async () => {
    expect((await get(guarded(), '/readyz/ping?timeout=abc')).status).toBe(400);
  });

  it.each([
    ['throws', 'crash', { status: 500, text: 'Internal Server Error\n' }],
    ['answers nothing', 'garbage', { status: 403 }],
  ])('an authorizer that %s denies everyone, and is reported once', async (_, user, expected) => {
    const seen: Observation[] = [];
    const health = guarded({ observe: (observation) => void seen.push(observation) });
    expect(await get(health, '/readyz/ping', as(user))).toMatchObject(expected);
    expect(seen).toEqual([{ type: 'error', where: 'health: authorize', error: expect.any(Error) as unknown }]);
  });

  it('an authorizer that rejects is a bare 500 too', async () => {
    const health = guarded({ authorize: () => Promise.reject(new Error('secret')) });
    expect((await get(health, '/readyz/ping', as('jane'))).text).toBe('Internal Server Error\n');
  });

  it('asynchronous hooks are awaited', async () => {
    const health = guarded({
      authenticate: async () => Promise.resolve({ name: 'jane', groups: [] }),
      authorize: async () => Promise.resolve({ allowed: true }),
    });
    expect((await get(health, '/livez/ping')).text).toBe('ok');
  });
});

describe('auditIds', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('are not sent by default', async () => {
    expect((await get(createHealth(), '/livez', { headers: { 'audit-id': 'x' } })).headers).not.toHaveProperty(
      'audit-id',
    );
  });

  it('are sent on every response: the one of the request, or a new one', async () => {
    const health = createHealth({ auditIds: true, ...hooks });
    for (const url of ['/livez', '/livez?verbose', '/livez/ping', '/livez?timeout=x', '/livez/%zz']) {
      expect((await get(health, url)).headers['audit-id']).toMatch(uuid);
      expect((await get(health, url, { headers: { 'audit-id': 'abc 1' } })).headers['audit-id']).toBe('abc 1');
    }
    const hostile = await get(health, '/livez', { headers: { 'audit-id': 'a\r\nset-cookie: b' } });
    expect(hostile.headers['audit-id']).toMatch(uuid);
  });
});
