import { serve as serveHono } from '@hono/node-server';
import express, { type Request } from 'express';
import fastify, { type FastifyRequest } from 'fastify';
import { H3, serve as serveH3, type H3Event } from 'h3';
import { Hono, type Context } from 'hono';
import Koa, { type Context as KoaContext } from 'koa';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toFastifyPlugin } from '../../src/fastify.js';
import { toFetchHandler } from '../../src/fetch.js';
import { toHonoMiddleware } from '../../src/hono.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { callerFrom, firstAuthenticator, staticTokens, type Authenticate } from '../../src/index.js';
import { toKoaMiddleware } from '../../src/koa.js';
import { toNodeListener } from '../../src/node.js';
import { call } from '../../src/testing.js';
import { eventsOfTest, PATH } from './events-api.js';
import { get, listen } from './support.js';

type User = { readonly id: string };
type SignedIn<R> = R & { user?: User };
type Env = { Variables: { user?: User } };

const caller = (user: User | undefined) => user && { name: user.id, groups: ['staff'] };

/** The user that middleware in front of the handler reads from the cookie. */
const userOf = (headers: { readonly cookie?: string | undefined }): User | undefined =>
  headers.cookie === undefined ? undefined : { id: headers.cookie };

const FRAMEWORKS: readonly (readonly [string, Authenticate, (handler: ApiHandler) => Promise<number>])[] = [
  [
    'node:http',
    callerFrom((req: SignedIn<IncomingMessage>) => caller(req.user)),
    async (handler) => {
      const ours = toNodeListener(handler);
      return (await listen((req, res) => ours(Object.assign(req, { user: userOf(req.headers) }), res))).port;
    },
  ],
  [
    'Express',
    callerFrom((req: SignedIn<Request>) => caller(req.user)),
    async (handler) => {
      const app = express();
      app.use((req: SignedIn<Request>, _, next) => {
        const user = userOf(req.headers);
        if (user !== undefined) req.user = user;
        next();
      });
      app.use('/', toNodeListener(handler));
      return (await listen(app as unknown as RequestListener)).port;
    },
  ],
  [
    'Koa',
    callerFrom((ctx: KoaContext) => caller(ctx.state['user'] as User | undefined)),
    async (handler) => {
      const app = new Koa();
      app.use(async (ctx, next) => {
        ctx.state['user'] = userOf(ctx.headers);
        await next();
      });
      app.use(toKoaMiddleware(handler));
      return (await listen(app.callback() as RequestListener)).port;
    },
  ],
  [
    'Fastify',
    callerFrom((request: SignedIn<FastifyRequest>) => caller(request.user)),
    async (handler) => {
      const app = fastify({ forceCloseConnections: true });
      onTestFinished(() => app.close());
      app.decorateRequest('user');
      app.addHook('onRequest', async (request: SignedIn<FastifyRequest>) => {
        const user = userOf(request.headers);
        if (user !== undefined) request.user = user;
      });
      await app.register(toFastifyPlugin(handler));
      return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
    },
  ],
  [
    'Hono',
    callerFrom((c: Context<Env>) => caller(c.get('user'))),
    async (handler) => {
      const app = new Hono<Env>();
      app.use(async (c, next) => {
        const user = userOf({ cookie: c.req.header('cookie') });
        if (user !== undefined) c.set('user', user);
        await next();
      });
      app.use(toHonoMiddleware(handler));
      const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
      if (!server.listening) await once(server, 'listening');
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    },
  ],
  [
    'h3',
    callerFrom((event: H3Event) => caller(event.context['user'] as User | undefined)),
    async (handler) => {
      const app = new H3();
      app.use((event) => {
        event.context['user'] = userOf({ cookie: event.req.headers.get('cookie') ?? undefined });
      });
      const vitals = toFetchHandler(handler);
      app.use(async (event, next) => (await vitals(event.req, { context: event })) ?? next());
      const server = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true });
      onTestFinished(() => server.close(true));
      await server.ready();
      return Number(new URL(server.url ?? '').port);
    },
  ],
];

describe('callerFrom', () => {
  test.each(FRAMEWORKS)('reads the user that middleware of %s has authenticated', async (_, authenticate, start) => {
    const asked: unknown[] = [];
    const { events } = eventsOfTest({
      authenticate: firstAuthenticator(authenticate, staticTokens({ s3cret: { name: 'ops' } })),
      authorize: ({ name, groups }) => {
        asked.push([name, groups.includes('staff')]);
        return { allowed: true };
      },
    });
    const port = await start(events.handle);
    expect((await get(port, PATH, { headers: { cookie: 'jane' } })).statusCode).toBe(200);
    expect((await get(port, PATH, { headers: { authorization: 'Bearer s3cret' } })).statusCode).toBe(200);
    expect((await get(port, PATH)).statusCode).toBe(401);
    expect(asked).toEqual([
      ['jane', true],
      ['ops', false],
    ]);
  });

  test('authenticates no request that came without a framework', async () => {
    const { events } = eventsOfTest({ authenticate: callerFrom((req: SignedIn<IncomingMessage>) => caller(req.user)) });
    expect((await call(events.handle, `GET ${PATH}`)).status).toBe(401);
    const overFetch = await toFetchHandler(events.handle)(new globalThis.Request(`http://localhost${PATH}`));
    expect(overFetch?.status).toBe(401);
  });

  test('reads the context that a service passes to toFetchHandler with the request', async () => {
    const contexts: unknown[] = [];
    const { events } = eventsOfTest({
      authenticate: callerFrom((context: { readonly user?: User }) => {
        contexts.push(context);
        return caller(context.user);
      }),
      authorize: ({ name }) => ({ allowed: name === 'jane' }),
    });
    const vitals = toFetchHandler(events.handle);
    const ask = async (context: object): Promise<number | undefined> =>
      (await vitals(new globalThis.Request(`http://localhost${PATH}`), { context }))?.status;
    const [jane, john, nobody] = [{ user: { id: 'jane' } }, { user: { id: 'john' } }, {}];
    expect(await Promise.all([jane, john, nobody].map(ask))).toEqual([200, 403, 401]);
    expect(contexts).toEqual([jane, john, nobody]);
    expect(contexts[0]).toBe(jane);
  });

  test('refuses an argument that is no function', () => {
    expect(() => callerFrom('jane' as never)).toThrow(/^callerFrom: the argument must be a function/);
  });
});

test('a handler may take the caller of each request from anywhere, with events.as', async () => {
  const { events, create } = eventsOfTest({ authenticate: () => undefined });
  await create('one');
  const handler: ApiHandler = (request) => {
    const name = request.headers?.['x-user'];
    return typeof name === 'string' ? events.as({ name })(request) : events.handle(request);
  };
  const { port } = await listen(toNodeListener(handler));
  expect((await get(port, PATH, { headers: { 'x-user': 'jane' } })).statusCode).toBe(200);
  expect((await get(port, PATH)).statusCode).toBe(401);
});
