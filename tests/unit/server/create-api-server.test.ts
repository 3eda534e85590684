import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowAnonymous, firstAuthenticator } from '../../../src/auth/authenticators.js';
import { allowRules } from '../../../src/auth/allow-rules.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import type { ApiHandler } from '../../../src/http/handler.js';
import type { ApiRequest } from '../../../src/http/request.js';
import type { ApiResponse } from '../../../src/http/response.js';
import type { Observation } from '../../../src/observe/observation.js';
import { createApiServer, type ApiServerOptions } from '../../../src/server/create-api-server.js';

const respondAt =
  (prefix: string): ApiHandler =>
  ({ url }) =>
    url.startsWith(prefix) ? { status: 200, headers: { 'content-type': 'text/plain' }, body: prefix } : undefined;

const options: ApiServerOptions = {
  health: { handle: respondAt('/livez') },
  events: { handle: async (request) => respondAt('/apis/events.example.com')(request) },
  authenticate: firstAuthenticator(
    staticTokens({ admin: { name: 'admin' }, jane: { name: 'jane' } }),
    allowAnonymous(),
  ),
  authorize: allowRules([
    { users: ['admin'], verbs: ['*'], resources: ['*'], paths: ['*'] },
    { groups: ['system:unauthenticated'], verbs: ['get'], paths: ['/version'] },
  ]),
};

async function ask(
  target: string,
  { token, ...more }: { token?: string; headers?: Record<string, string> } = {},
  changed: Partial<ApiServerOptions> = {},
): Promise<ApiResponse & { text: string }> {
  const [method = '', url = ''] = target.split(' ');
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...more.headers };
  const request: ApiRequest = { method, url, headers };
  const response = await createApiServer({ ...options, ...changed }).handle(request);
  if (response === undefined) throw new Error('an API server answers everything');
  return { ...response, text: body(response) };
}

function body({ body }: ApiResponse): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
}

describe('createApiServer', () => {
  it('calls health first, then events', async () => {
    expect(await ask('GET /livez')).toMatchObject({ status: 200, text: '/livez' });
    expect(await ask('GET /apis/events.example.com/v1')).toMatchObject({
      status: 200,
      text: '/apis/events.example.com',
    });
  });

  it('answers OPTIONS * without authentication, as every server in Go, and refuses other requests for *', async () => {
    const nobody = { authenticate: () => undefined };
    expect(await ask('OPTIONS *', {}, nobody)).toEqual({ status: 200, headers: {}, body: '', text: '' });
    expect((await ask('GET *', {}, nobody)).status).toBe(401);
    expect((await ask('OPTIONS /', {}, nobody)).status).toBe(401);
  });

  it('responds on every path, also where a bridge sets hasNext', async () => {
    const seen: ApiRequest[] = [];
    const events = { handle: (request: ApiRequest) => void seen.push(request) };
    const server = createApiServer({ ...options, events });
    const { signal } = new AbortController();
    // Frozen, as an adapter may have it.
    const request: ApiRequest = Object.freeze<ApiRequest>({
      method: 'POST',
      url: '/apis',
      headers: { authorization: 'Bearer admin' },
      hasNext: true,
      body: () => 'body',
      signal,
      aborted: false,
      remoteAddress: '::1',
      peerCertificate: { commonName: 'a', organizations: [] },
      framework: { user: 'jane' },
    });
    expect((await server.handle(request))?.status).toBe(404);
    const [asked] = seen;
    expect(asked?.hasNext).toBe(false);
    expect(await asked?.body?.(1)).toBe('body');
    for (const name of [
      'method',
      'url',
      'headers',
      'signal',
      'aborted',
      'remoteAddress',
      'peerCertificate',
      'framework',
    ] as const) {
      expect(asked?.[name]).toBe(request[name]);
    }
  });

  it('schedules health and its own paths by client, and leaves events to themselves', async () => {
    const waited: string[] = [];
    const turn = ({ url }: ApiRequest): Promise<unknown> | undefined => {
      waited.push(url);
      return waited.length % 2 === 0 ? undefined : Promise.resolve();
    };
    const events = { ...options.events, turn };
    for (const path of [
      '/livez',
      '/livez?verbose',
      '/livezz',
      '/version',
      '/apis/events.example.com/v1',
      '/livez/ping',
    ]) {
      const { status } = await ask(`GET ${path}`, { token: 'admin' }, { events });
      expect([200, 404]).toContain(status);
    }
    expect(waited).toEqual(['/livez', '/livez?verbose', '/version', '/livez/ping']);
  });

  it('adds Audit-Id and Cache-Control to every response', async () => {
    for (const target of ['GET /livez', 'GET /apis/events.example.com', 'GET /version', 'GET /nope']) {
      const { headers } = await ask(target, { token: 'admin' });
      expect(headers['cache-control']).toBe('no-cache, private');
      expect(headers['audit-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
    expect((await ask('GET /livez', { headers: { 'audit-id': 'mine' } })).headers['audit-id']).toBe('mine');
    expect((await ask('GET /livez', { headers: { 'audit-id': 'a\r\nb: c' } })).headers['audit-id']).not.toContain('\n');
  });

  it('keeps headers that a part has set', async () => {
    const headers = { 'audit-id': 'theirs', 'cache-control': 'public' };
    const health = { handle: (): ApiResponse => ({ status: 200, headers, body: null }) };
    expect((await ask('GET /livez', {}, { health })).headers).toEqual(headers);
  });

  it('lists registered paths, sorted and indented', async () => {
    const extraPaths = (): string[] => ['/livez/ping', '/apis', '/apis'];
    for (const path of ['/', '/index.html']) {
      const response = await ask(`GET ${path}`, { token: 'admin' }, { extraPaths });
      expect(response.headers['content-type']).toBe('application/json');
      const paths = ['/', '/apis', '/healthz', '/index.html', '/livez', '/livez/ping', '/readyz', '/version'];
      expect(response.text).toBe(JSON.stringify({ paths }, undefined, 2));
    }
  });

  it('returns its version, as JSON and for GET only', async () => {
    const version = { gitVersion: 'v9.9.9' };
    const given = await ask('GET /version', {}, { version });
    expect(given.status).toBe(200);
    expect(JSON.parse(given.text)).toMatchObject({ gitVersion: 'v9.9.9', major: '1' });
    expect((await ask('GET /version/', { token: 'admin' })).status).toBe(200);
    const yaml = await ask('GET /version', { headers: { accept: 'application/yaml' } });
    expect(yaml).toMatchObject({ status: 406, headers: { 'content-type': 'application/yaml' } });
    expect((await ask('POST /version', { token: 'admin' })).status).toBe(405);
  });

  it('responds with 404 as text on unknown paths, if the caller is authorized', async () => {
    for (const path of ['/nope', '/apis/other.example.com/v1/things', '/healthzz', '/version/x']) {
      expect(await ask(`GET ${path}`, { token: 'admin' })).toMatchObject({
        status: 404,
        text: '404 page not found\n',
        headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      });
    }
  });

  it('responds with 401 to a bad credential, on any path', async () => {
    for (const path of ['/version', '/nope', '/']) {
      const response = await ask(`GET ${path}`, { token: 'wrong' });
      expect(response.status).toBe(401);
      expect(JSON.parse(response.text)).toMatchObject({ reason: 'Unauthorized', code: 401 });
      expect(response.headers).not.toHaveProperty('x-content-type-options');
    }
  });

  it('responds with 403 by path, or by resource if the path looks like one', async () => {
    const secret = await ask('GET /secret');
    expect(secret).toMatchObject({ status: 403, headers: { 'x-content-type-options': 'nosniff' } });
    expect(JSON.parse(secret.text)).toMatchObject({
      message: 'forbidden: User "system:anonymous" cannot get path "/secret"',
      details: {},
    });
    const things = await ask('GET /apis/nope.example.com/v1/things', { token: 'jane' });
    expect(JSON.parse(things.text)).toMatchObject({
      message:
        'things.nope.example.com is forbidden: User "jane" cannot list resource "things" in API group "nope.example.com" at the cluster scope',
      details: { group: 'nope.example.com', kind: 'things' },
    });
    const escaped = await ask('GET /a%3Cb%3E&c', { token: 'jane' });
    expect(JSON.parse(escaped.text)).toMatchObject({
      message: 'forbidden: User "jane" cannot get path "/a&lt;b&gt;&amp;c"',
    });
  });

  it('writes refusals in the representation that Accept requests', async () => {
    const yaml = await ask('GET /secret', { headers: { accept: 'application/yaml' } });
    expect(yaml).toMatchObject({ status: 403, headers: { 'content-type': 'application/yaml' } });
    expect(yaml.text).toContain('reason: Forbidden');
  });

  it('responds with 400 to a bad timeout before authentication', async () => {
    const response = await ask('GET /version?timeout=abc', { token: 'wrong' });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({
      message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
      reason: 'BadRequest',
    });
    expect((await ask('GET /version?timeout=5s')).status).toBe(200);
    expect((await ask('GET /version?timeout=')).status).toBe(200);
  });

  it('responds with 400 to a path that cannot be decoded', async () => {
    expect((await ask('GET /%zz', { token: 'admin' })).status).toBe(400);
  });

  it('warns of a token after two spaces', async () => {
    const response = await ask('GET /version', { headers: { authorization: 'Bearer  admin' } });
    expect(response.status).toBe(200);
    expect(response.headers['warning']).toBe(
      '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
    );
  });

  it('responds with a bare 500 when the authorizer throws, and reports it', async () => {
    const seen: Observation[] = [];
    const authorize = (): never => {
      throw new Error('secret');
    };
    const response = await ask(
      'GET /version',
      {},
      { authorize, observe: (observation) => void seen.push(observation) },
    );
    expect(response).toMatchObject({ status: 500, text: 'Internal Server Error\n' });
    expect(seen).toMatchObject([{ type: 'error', where: 'server: authorize' }]);
    const observe = (): never => {
      throw new Error('observer');
    };
    expect((await ask('GET /version', {}, { authorize, observe })).status).toBe(500);
  });

  it('responds to every request, and never with 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'FOO'),
        fc.oneof(fc.webPath(), fc.string(), fc.string({ unit: 'binary' })),
        fc.webQueryParameters(),
        async (method, path, query) => {
          const url = `/${path}?${query}`;
          const response = await createApiServer(options).handle({
            method,
            url,
            headers: { authorization: 'bearer admin' },
          });
          expect(response?.status).toBeLessThan(500);
        },
      ),
    );
  });

  it('serves health and refuses everything else while it drains', async () => {
    const server = createApiServer(options);
    server.startDraining();
    expect(await server.handle({ method: 'GET', url: '/livez' })).toMatchObject({ status: 200 });
    const refused = await server.handle({ method: 'GET', url: '/version' });
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
      body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"apiserver is shutting down","reason":"ServiceUnavailable","code":503}\n\n',
    });
    expect(refused?.headers).toHaveProperty('audit-id');
    expect(refused?.headers).toHaveProperty('cache-control');
  });

  it('lists every fault of its options', () => {
    expect(() => createApiServer({ extraPaths: 1, observe: 1 } as never)).toThrow(
      /health .*; events .*; authenticate .*; authorize .*; observe .*; extraPaths /,
    );
    expect(() => createApiServer(undefined as never)).toThrow(TypeError);
  });
});
