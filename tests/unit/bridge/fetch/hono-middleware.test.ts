import { Hono } from 'hono';
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { toHonoMiddleware } from '../../../../src/bridge/fetch/hono-middleware.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';

const OK: ApiResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };

/** What the handler saw of one request in an application of Hono whose server passes `env`. */
async function seen(env: object | undefined, headers: Record<string, string> = {}): Promise<ApiRequest> {
  let request: ApiRequest | undefined;
  const app = new Hono().use(
    toHonoMiddleware((given) => {
      request = given;
      return OK;
    }),
  );
  expect(await (await app.request('/readyz?verbose', { headers }, env as never)).text()).toBe('ok');
  return request as ApiRequest;
}

describe('the middleware for Hono', () => {
  test('leaves paths that are not the handler’s to the next route', async () => {
    const app = new Hono()
      .use(toHonoMiddleware(({ url }) => (url === '/readyz' ? OK : undefined)))
      .use(
        '/ops/*',
        toHonoMiddleware(({ url }) => (url === '/readyz' ? OK : undefined), { basePath: '/ops' }),
      )
      .get('/own', (c) => c.text('own'));
    for (const [path, text] of [
      ['/readyz', 'ok'],
      ['/ops/readyz', 'ok'],
      ['/own', 'own'],
      ['/other', '404 Not Found'],
    ] as const) {
      expect([path, await (await app.request(path)).text()]).toEqual([path, text]);
    }
  });

  test('passes the request on with the context of Hono, and with hasNext for the other routes that follow', async () => {
    const { method, url, hasNext, framework } = await seen({});
    expect([method, url, hasNext]).toEqual(['GET', '/readyz?verbose', true]);
    expect((framework as { req: { path: string } }).req.path).toBe('/readyz');
  });

  test.each([
    ['the socket of Node', { incoming: { socket: { remoteAddress: '10.0.0.1' } } }, '10.0.0.1'],
    ['the server of Bun', { requestIP: () => ({ address: '10.0.0.2' }) }, '10.0.0.2'],
    ['a wrapped server of Bun', { server: { requestIP: () => ({ address: '10.0.0.3' }) } }, '10.0.0.3'],
    ['the connection of Deno', { remoteAddr: { hostname: '10.0.0.4' } }, '10.0.0.4'],
    ['a closed socket of Node', { incoming: { socket: null } }, undefined],
    ['an address that Bun no longer knows', { requestIP: () => null }, undefined],
    ['bindings of a Worker', { remoteAddr: 'x', server: {}, DB: {} }, undefined],
    ['an address that is no text', { remoteAddr: { hostname: 7 } }, undefined],
    ['no environment', undefined, undefined],
  ])('takes the address of the client from %s', async (_, env, address) => {
    expect((await seen(env)).remoteAddress).toBe(address);
  });

  test('takes a client certificate from the socket only where TLS has verified it', async () => {
    const getPeerCertificate = () => ({ subject: { CN: 'ops', O: ['operators'] } });
    const socketWith = (authorized: boolean) => ({
      incoming: { socket: { authorized, getPeerCertificate } },
    });
    expect((await seen(socketWith(true))).peerCertificate).toEqual({ commonName: 'ops', organizations: ['operators'] });
    expect((await seen(socketWith(false))).peerCertificate).toBeUndefined();
    expect((await seen({})).peerCertificate).toBeUndefined();
  });

  test('hides If-None-Match on Node, where version 1 of the adapter sends a 304 with a Content-Type of its own', async () => {
    const headers = { 'if-none-match': '"1"', accept: '*/*' };
    expect((await seen({ incoming: { socket: null } }, headers)).headers).toEqual({ accept: '*/*' });
    expect((await seen({}, headers)).headers).toEqual(headers);
  });

  test('refuses a request of which Node may have dropped headers, whatever its path', async () => {
    let asked = 0;
    const app = new Hono().use(
      toHonoMiddleware(() => {
        asked += 1;
        return OK;
      }),
    );
    const answer = async (length: number, maxHeadersCount?: number): Promise<string> => {
      const incoming = { rawHeaders: Array<string>(length).fill('a'), socket: { server: { maxHeadersCount } } };
      const response = await app.request('/readyz', {}, { incoming } as never);
      return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`;
    };
    const refused = '431 text/plain; charset=utf-8 431 Request Header Fields Too Large\n';
    expect([await answer(2_000), await answer(202, 100)]).toEqual([refused, refused]);
    expect(asked).toBe(0);
    expect([await answer(1_998), await answer(198, 100)]).toEqual(['200 text/plain ok', '200 text/plain ok']);
  });

  test('aborts requests that wait behind others of their connection when it closes, and listens once for all', async () => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    const aborted: string[] = [];
    const app = new Hono().use(
      toHonoMiddleware(({ url, signal }) => {
        signal?.addEventListener('abort', () => aborted.push(url));
        return new Promise(() => undefined);
      }),
    );
    const ask = (path: string): void =>
      void app.request(path, {}, { incoming: { socket }, outgoing: { socket: null } } as never);
    ask('/1');
    ask('/2');
    await new Promise((resolve) => setImmediate(resolve));
    expect([socket.listenerCount('close'), aborted]).toEqual([1, []]);
    socket.emit('close');
    expect(aborted).toEqual(['/1', '/2']);
  });

  test('aborts a request whose connection has closed before its turn', async () => {
    const incoming = { socket: { destroyed: true, once: () => undefined } };
    const aborted: unknown[] = [];
    const app = new Hono().use(
      toHonoMiddleware(({ signal }) => {
        aborted.push(signal?.aborted);
        return OK;
      }),
    );
    await app.request('/', {}, { incoming, outgoing: { socket: null } } as never);
    await app.request('/', {}, { incoming, outgoing: { socket: {} } } as never);
    expect(aborted).toEqual([true, false]);
  });

  test('names itself in the error about its arguments', () => {
    expect(() => toHonoMiddleware(undefined as never)).toThrow(/^toHonoMiddleware: /);
    expect(() => toHonoMiddleware(() => OK, { basePath: 'x' })).toThrow(/^toHonoMiddleware: /);
  });
});
