import Koa from 'koa';
import Koa2 from 'koa2';
import koaCompress from 'koa-compress';
import { once } from 'node:events';
import { request as httpRequest, type RequestListener } from 'node:http';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstOf } from '../../src/http/handler.js';
import { createHealth } from '../../src/index.js';
import { toKoaMiddleware } from '../../src/koa.js';
import { event, eventsOfTest, PATH } from './events-api.js';
import { feedHandler, gate, get, listen, raw, text, whole } from './support.js';

const health = createHealth();

async function post(port: number, path: string, value: string): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(value) };
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }).end(value);
  const [response] = (await once(request, 'response')) as [AsyncIterable<Uint8Array> & { statusCode: number }];
  return `${response.statusCode} ${await whole(response)}`;
}

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2],
])('the middleware in %s', (_version, Application) => {
  async function serve(build: (app: Koa) => void): Promise<number> {
    const app = new Application();
    app.silent = true;
    build(app);
    return (await listen(app.callback() as RequestListener)).port;
  }

  test('serves its paths and leaves the others to the service', async () => {
    const { events } = eventsOfTest();
    const seen: string[] = [];
    const port = await serve((app) => {
      app.use(async (ctx, next) => {
        ctx.set('x-before', 'kept');
        await next();
        seen.push(`${ctx.path} ${ctx.status}`);
        ctx.set('x-after', 'too late, and harmless');
      });
      app.use(toKoaMiddleware(firstOf(health.handle, events.handle)));
      app.use(async (ctx, next) => {
        if (ctx.path !== '/own') return next();
        ctx.body = 'own';
      });
    });
    const ready = await get(port, '/readyz');
    expect([ready.statusCode, ready.headers['x-before'], await whole(ready)]).toEqual([200, 'kept', 'ok']);
    expect(await whole(await get(port, '/own'))).toBe('own');
    const missing = await get(port, '/none');
    expect([missing.statusCode, await whole(missing)]).toEqual([404, 'Not Found']);
    expect(await post(port, PATH, JSON.stringify(event('one')))).toMatch(/^201 /);
    expect((await get(port, `${PATH}/none`)).statusCode).toBe(404);
    expect(seen).toEqual(['/readyz 200', '/own 200', '/none 404', `${PATH} 201`, `${PATH}/none 404`]);
  });

  test("leaves discovery to the service's routes, and serves it where there are none", async () => {
    const { events } = eventsOfTest();
    const port = await serve((app) => {
      app.use(toKoaMiddleware(events.handle));
      app.use(async (ctx, next) => {
        if (ctx.path === '/api') ctx.body = 'own';
        else if (ctx.path === '/openapi/v3') ctx.status = 403;
        else await next();
      });
    });
    expect(await whole(await get(port, '/api'))).toBe('own');
    expect((await get(port, '/openapi/v3')).statusCode).toBe(403);
    expect(await whole(await get(port, '/apis'))).toContain('"APIGroupList"');
  });

  test.each([
    ['rawBody', { rawBody: '{ "a": 1, "a": 2 }', body: { a: 2 } }, '{ "a": 1, "a": 2 }'],
    ['body', { body: { a: 2 } }, '{"a":2}'],
  ])('reads what a body parser has left in ctx.request.%s', async (_, left, expected) => {
    const port = await serve((app) => {
      app.use(async (ctx, next) => {
        ctx.req.resume();
        await once(ctx.req, 'end');
        Object.assign(ctx.request, left);
        await next();
      });
      app.use(
        toKoaMiddleware(async (request) => ({
          status: 200,
          headers: {},
          body: (await request.body?.(1_000)) ?? '',
        })),
      );
    });
    expect(await post(port, '/', '{"sent":true}')).toBe(`200 ${expected}`);
  });

  test('leaves a path that it serves only as the last handler to a route that responds with 404 and a body', async () => {
    const { events } = eventsOfTest();
    const port = await serve((app) => {
      app.use(toKoaMiddleware(events.handle));
      app.use((ctx) => {
        if (ctx.path !== '/apis') return;
        ctx.status = 404;
        ctx.body = 'no such page of the service';
      });
    });
    expect(await whole(await get(port, '/apis'))).toBe('no such page of the service');
    expect((await get(port, '/api')).statusCode).not.toBe(404);
  });

  test('sends each event of a watch at once behind koa-compress', async () => {
    const { events, create } = eventsOfTest();
    const port = await serve((app) => {
      app.use(koaCompress());
      app.use(toKoaMiddleware(events.handle));
      app.use((ctx) => void (ctx.body = 'x'.repeat(4_000)));
    });
    const headers = { 'accept-encoding': 'gzip' };
    expect((await get(port, '/own', { headers })).headers['content-encoding']).toBe('gzip');
    const watch = await get(port, `${PATH}?watch=true`, { headers });
    expect(watch.headers['content-encoding']).toBeUndefined();
    expect(watch.headers['cache-control']).toBe('no-cache, private, no-transform');
    const chunks = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (let index = 0; index < 40; index++) {
      await create(`event-${index}`);
      expect(String((await chunks.next()).value)).toContain(`"name":"event-${index}"`);
    }
  });

  test('middleware around it continues when the client of a watch leaves', async () => {
    const { handler, at } = feedHandler();
    const over = gate();
    const port = await serve((app) => {
      app.use(async (_, next) => {
        await next();
        over.open();
      });
      app.use(toKoaMiddleware(handler));
    });
    const client = raw(port);
    client.send('GET /watch HTTP/1.1\r\nHost: a\r\n\r\n');
    const source = await at(0);
    source.push('one');
    await client.until('one');
    client.socket.destroy();
    await source.aborted;
    await over.promise;
  });

  test('middleware around it goes on when the client of pipelined requests leaves before their turn', async () => {
    const { handler, at } = feedHandler();
    const seen: unknown[] = [];
    const over = gate();
    const waiting = gate();
    const port = await serve((app) => {
      app.use(async (ctx, next) => {
        if (ctx.path === '/3') waiting.open();
        await next();
        seen.push(ctx.respond);
        if (seen.length === 4) over.open();
      });
      app.use(async (ctx, next) => {
        // Its turn has passed when the listener gets it.
        if (ctx.path === '/4') await new Promise((resolve) => ctx.req.socket.once('close', resolve));
        return next();
      });
      app.use(toKoaMiddleware(handler));
    });
    const client = raw(port);
    client.send(['/1', '/2', '/3', '/4'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await at(0);
    await waiting.promise;
    client.socket.destroy();
    await over.promise;
    expect(seen).toEqual([false, false, false, false]);
  });

  test('middleware around it goes on when the client resets a stream of HTTP/2 before the response', async () => {
    const asked = gate<AbortSignal>();
    const over = gate();
    const app = new Application();
    app.use(async (_, next) => {
      await next();
      over.open();
    });
    app.use(
      toKoaMiddleware(async (request) => {
        const signal = request.signal as AbortSignal;
        asked.open(signal);
        await once(signal, 'abort');
        return text('late');
      }),
    );
    const server = createServer(app.callback() as never).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':path': '/' });
    await asked.promise;
    stream.close(8);
    await over.promise;
  });

  test('errors of the handler are a bare 500, those of later middleware are for Koa', async () => {
    const errors: unknown[] = [];
    const port = await serve((app) => {
      const fails = toKoaMiddleware(
        ({ url }) => {
          if (url === '/ours') throw new Error('ours');
          return undefined;
        },
        { onError: (error) => void errors.push(error) },
      );
      app.use(fails);
      app.use(() => {
        throw Object.assign(new Error('theirs'), { status: 418, expose: true });
      });
    });
    const ours = await get(port, '/ours');
    expect([ours.statusCode, await whole(ours)]).toEqual([500, 'Internal Server Error\n']);
    const theirs = await get(port, '/theirs');
    expect([theirs.statusCode, await whole(theirs)]).toEqual([418, 'theirs']);
    expect(errors).toEqual([new Error('ours')]);
    expect(() => toKoaMiddleware(undefined as never, { basePath: 'ops' })).toThrow(
      /toKoaMiddleware: the handler.*basePath/,
    );
  });
});

test('the middleware of Koa that is passed to createServer says where it belongs', async () => {
  const middleware = toKoaMiddleware(health.handle) as (...given: readonly unknown[]) => Promise<void>;
  await expect(middleware({}, {})).rejects.toThrow('a Koa middleware was called without next: pass it to app.use');
});
