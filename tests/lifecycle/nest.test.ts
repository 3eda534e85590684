import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  Inject,
  Module,
  Post,
  type DynamicModule,
  type INestApplication,
  type MiddlewareConsumer,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { callerFrom, createHealth, type Events, type EventsOptions, type Health } from '../../src/index.js';
import {
  EVENTS,
  HEALTH,
  KubeVitalsModule,
  type KubeVitalsModuleOptions,
  type NestDynamicModule,
} from '../../src/nest.js';
import { installShutdown, type ShutdownReport } from '../../src/node.js';
import { call } from '../../src/testing.js';
import { event, eventsOfTest, PATH, type EventsApi } from './events-api.js';
import { gate, get, raw, whole } from './support.js';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const AT_ONCE = { idleGraceMs: 0 };

/** A module class as `@Module(metadata)` makes it. */
function moduleOf(metadata: ModuleMetadata, members: object = {}): Type {
  class Made {}
  Object.assign(Made.prototype, members);
  Module(metadata)(Made);
  return Made;
}

/** A controller as `@Controller()`, `@Get(path)` and `@Post(path)` make it. */
function controllerOf(gets: Readonly<Record<string, () => unknown>>): Type {
  class Own {
    echo(body: unknown): unknown {
      return body;
    }
  }
  const descriptorOf = (name: string): PropertyDescriptor =>
    Object.getOwnPropertyDescriptor(Own.prototype, name) as PropertyDescriptor;
  for (const [path, value] of Object.entries(gets)) {
    Object.defineProperty(Own.prototype, path, { value: value, configurable: true, writable: true });
    Get(path)(Own.prototype, path, descriptorOf(path));
  }
  Body()(Own.prototype, 'echo', 0);
  Post('own')(Own.prototype, 'echo', descriptorOf('echo'));
  Controller()(Own);
  return Own;
}

const own = controllerOf({ own: () => 'own' });

interface Running {
  readonly app: INestApplication;
  readonly port: number;
}

const PLATFORMS = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
] as const;

describe.each(PLATFORMS)('the module of Nest on %s', (platform, adapter) => {
  async function create(root: Type): Promise<INestApplication> {
    const app = await NestFactory.create(root, adapter(), { logger: false, abortOnError: false });
    onTestFinished(() => {
      (app.getHttpServer() as Server).closeAllConnections();
      return app.close();
    });
    return app;
  }

  async function start(root: Type, prepare: (app: INestApplication) => unknown = () => undefined): Promise<Running> {
    const app = await create(root);
    await prepare(app);
    await app.listen(0, '127.0.0.1');
    return { app, port: ((app.getHttpServer() as Server).address() as AddressInfo).port };
  }

  /** A service with health, events and a route of its own. */
  function service(
    options: Partial<KubeVitalsModuleOptions> = {},
    { controllers = [own], ...eventsOptions }: Partial<EventsOptions> & { controllers?: Type[] } = {},
  ): EventsApi & { readonly health: Health; readonly root: Type } {
    const api = eventsOfTest(eventsOptions);
    const health = createHealth();
    const vitals = KubeVitalsModule.forRoot({ health, events: api.events, shutdown: AT_ONCE, ...options });
    return { ...api, health, root: moduleOf({ imports: [vitals], controllers }) };
  }

  async function post(
    port: number,
    path: string,
    body: string,
    type = 'application/json',
  ): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }).end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await whole(response) };
  }

  test('serves its paths and leaves the others to the routes, the body parser and the 404 of the service', async () => {
    const { root } = service();
    const { port } = await start(root);
    expect(await whole(await get(port, '/readyz'))).toBe('ok');
    expect(await whole(await get(port, '/readyz?verbose'))).toContain('[+]ping ok\n');
    expect(await post(port, PATH, JSON.stringify(event('one')))).toMatchObject({ status: 201 });
    expect(JSON.parse(await whole(await get(port, PATH)))).toMatchObject({ items: [{ metadata: { name: 'one' } }] });
    expect((await get(port, `${PATH}/none`)).statusCode).toBe(404);
    expect(await whole(await get(port, '/own'))).toBe('own');
    expect(await post(port, '/own', '{"a":1}')).toEqual({ status: 201, body: '{"a":1}' });
    expect(await whole(await get(port, '/none'))).toContain('Cannot GET /none');
  });

  test('responds before global prefixes, guards and pipes', async () => {
    const { root } = service();
    const { port } = await start(root, (app) => {
      app.setGlobalPrefix('v1');
      app.useGlobalGuards({ canActivate: () => false });
      app.useGlobalPipes({
        transform(): never {
          throw new Error('no pipe may see this');
        },
      });
    });
    expect(await whole(await get(port, '/livez'))).toBe('ok');
    expect(await whole(await get(port, '/readyz/ping'))).toBe('ok');
    expect(await post(port, PATH, JSON.stringify(event('one')))).toMatchObject({ status: 201 });
    expect((await get(port, PATH)).statusCode).toBe(200);
    expect((await get(port, '/v1/own')).statusCode).toBe(403);
    expect((await get(port, '/v1/readyz')).statusCode).toBe(404);
  });

  test('reads bodies before the body parser does', async () => {
    const { root } = service();
    const { port } = await start(root);
    const twice = JSON.stringify(event('one')).replace('"action"', '"action":"First","action"');
    expect(await post(port, `${PATH}?fieldValidation=Strict`, twice)).toEqual({
      status: 400,
      body: expect.stringContaining('duplicate field \\"action\\"'),
    });
    // More than the parser of Express takes.
    const large = JSON.stringify(event('one', 'x'.repeat(200_000)));
    expect(await post(port, PATH, large)).toMatchObject({ status: 201 });
    // A media type for which Fastify has no parser.
    const yaml = 'metadata: {name: yaml}\neventTime: null\ntype: Normal\ninvolvedObject: {}';
    expect((await post(port, PATH, yaml, 'application/yaml')).status).not.toBe(415);
    expect((await post(port, '/own', large)).status).toBe(platform === 'Express' ? 413 : 201);
  });

  test('reads bodies before parsers that the service has chosen itself', async () => {
    const { root } = service();
    const { port } = await start(root, (app) => {
      (app as unknown as { useBodyParser(type: string, options: object): void }).useBodyParser(
        ...((platform === 'Express' ? ['json', { limit: 10 }] : ['application/json', { bodyLimit: 10 }]) as [
          string,
          object,
        ]),
      );
    });
    expect(await post(port, PATH, JSON.stringify(event('one')))).toMatchObject({ status: 201 });
    expect((await post(port, '/own', '{"a":"0123456789"}')).status).toBe(413);
  });

  test("leaves discovery to the service's routes, and serves it where there are none", async () => {
    const { root } = service({}, { controllers: [controllerOf({ api: () => 'own api' })] });
    const { port } = await start(root);
    expect(await whole(await get(port, '/api'))).toBe('own api');
    expect(await whole(await get(port, '/apis'))).toContain('"APIGroupList"');
    expect((await get(port, '/openapi/v3')).statusCode).toBe(200);
    expect((await get(port, '/apis2')).statusCode).toBe(404);
  });

  test('serves below several base paths', async () => {
    const { root } = service({ basePath: ['', '/ops'] });
    const { port } = await start(root);
    expect(await whole(await get(port, '/readyz'))).toBe('ok');
    expect(await whole(await get(port, '/ops/readyz'))).toBe('ok');
    expect(await post(port, `/ops${PATH}`, JSON.stringify(event('one')))).toMatchObject({ status: 201 });
    expect(await whole(await get(port, '/ops/apis'))).toContain('"APIGroupList"');
    expect((await get(port, '/ops/own')).statusCode).toBe(404);
    const below = await start(service({ basePath: '/ops' }).root);
    expect((await get(below.port, '/readyz')).statusCode).toBe(404);
    expect((await get(below.port, '/ops/readyz')).statusCode).toBe(200);
  });

  test('serves the handler that the options name', async () => {
    const { root } = service({ handle: ({ url }) => ({ status: 200, headers: {}, body: `saw ${url}` }) });
    const { port } = await start(root);
    expect(await whole(await get(port, '/readyz'))).toBe('saw /readyz');
    expect(await whole(await get(port, '/own'))).toBe('saw /own');
  });

  test('authenticate finds what the middleware of the service left in the request of the framework', async () => {
    type SignedIn<R> = R & { user?: string | undefined };
    const requests: unknown[] = [];
    const authenticate = callerFrom((request: SignedIn<FastifyRequest | IncomingMessage>) => {
      requests.push(request);
      return request.user === undefined ? undefined : { name: request.user, groups: [] };
    });
    const { root } = service({}, { authenticate, authorize: ({ name }) => ({ allowed: name === 'jane' }) });
    const signIn = (request: SignedIn<{ headers: IncomingMessage['headers'] }>): void => {
      request.user = request.headers.cookie;
    };
    const { port } = await start(root, (app) => {
      if (platform === 'Express') {
        app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
          signIn(request);
          response.setHeader('x-before', 'kept');
          next();
        });
      } else {
        (app.getHttpAdapter().getInstance() as FastifyInstance).addHook('onRequest', async (request, reply) => {
          signIn(request);
          reply.header('x-before', 'kept');
        });
      }
    });
    const asJane = await get(port, PATH, { headers: { cookie: 'jane' } });
    expect([asJane.statusCode, asJane.headers['x-before']]).toEqual([200, 'kept']);
    expect((await get(port, PATH, { headers: { cookie: 'joe' } })).statusCode).toBe(403);
    expect((await get(port, PATH)).statusCode).toBe(401);
    // `res` is the response in Express, `routeOptions` are in Fastify's request only.
    expect(requests[0]).toHaveProperty(platform === 'Express' ? 'res' : 'routeOptions');
  });

  test('providers of every module inject health and events, and checks may be made of injected services', async () => {
    const { events } = eventsOfTest();
    const database = { ping: async () => 'no answer' };
    const databases = moduleOf({ providers: [{ provide: 'DATABASE', useValue: database }], exports: ['DATABASE'] });
    let injected: { health: Health; events: Events } | undefined;
    class Feature {
      readonly health: Health;
      constructor(health: Health, given: Events) {
        this.health = health;
        injected = { health, events: given };
      }
      onModuleInit(): void {
        this.health.add({ name: 'feature', check: () => true });
      }
    }
    Inject(HEALTH)(Feature, undefined, 0);
    Inject(EVENTS)(Feature, undefined, 1);
    const vitals = KubeVitalsModule.forRootAsync({
      imports: [databases],
      inject: ['DATABASE'],
      async useFactory({ ping }: typeof database) {
        const health = createHealth();
        health.add({ name: 'database', check: async () => new Error(await ping()) });
        return Promise.resolve({ health, events, shutdown: AT_ONCE });
      },
    });
    const root = moduleOf({ imports: [moduleOf({ providers: [Feature] }), vitals] });
    const [{ port }, other] = [await start(root), await start(root)];
    expect(injected?.events).toBe(events);
    const report = await whole(await get(port, '/readyz?verbose'));
    expect(report).toContain('[-]database failed');
    expect(report).toContain('[+]feature ok');
    expect(await post(port, PATH, JSON.stringify(event('one')))).toMatchObject({ status: 201 });
    // Each application of the same class has an object of its own.
    injected?.health.remove('database');
    expect((await get(other.port, '/readyz')).statusCode).toBe(200);
    expect((await get(port, '/readyz')).statusCode).toBe(500);
  });

  test('serves health alone, and injects undefined for events', async () => {
    let given: unknown = 'nothing yet';
    class Feature {
      constructor(events: unknown) {
        given = events;
      }
    }
    Inject(EVENTS)(Feature, undefined, 0);
    const vitals = KubeVitalsModule.forRoot({ health: createHealth(), shutdown: AT_ONCE });
    const { port } = await start(moduleOf({ imports: [vitals], providers: [Feature] }));
    expect(await whole(await get(port, '/readyz'))).toBe('ok');
    expect((await get(port, PATH)).statusCode).toBe(404);
    expect(given).toBeUndefined();
  });

  describe('app.close()', () => {
    test('ends open watches, and is then complete', async () => {
      const { root, create: add } = service();
      const { app, port } = await start(root);
      const watch = await get(port, `${PATH}?watch=true`, { agent: undefined });
      const chunks = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      await add('one');
      expect(String((await chunks.next()).value)).toContain('"name":"one"');
      const begun = performance.now();
      const closed = app.close();
      expect((await chunks.next()).done).toBe(true);
      await closed;
      expect(performance.now() - begun).toBeLessThan(3_000);
      expect((app.getHttpServer() as Server).listening).toBe(false);
    });

    test('shuts down in the order of kube-apiserver, around the hooks of the other modules', async () => {
      const order: string[] = [];
      const asked = gate();
      const go = gate();
      const preparing = gate();
      const slow = controllerOf({
        slow: async () => {
          asked.open();
          await go.promise;
          return 'answered';
        },
      });
      const hooks = {
        onModuleDestroy: () => void order.push('onModuleDestroy'),
        beforeApplicationShutdown: () => void order.push('beforeApplicationShutdown'),
        onApplicationShutdown: () => void order.push('onApplicationShutdown'),
      };
      const databases = moduleOf({ providers: [{ provide: 'DATABASE', useValue: hooks }] });
      const { events, store } = eventsOfTest();
      const health = createHealth();
      const noted =
        <Args extends unknown[], T>(name: string, close: (...args: Args) => T) =>
        (...args: Args): T => {
          order.push(name);
          return close(...args);
        };
      const reports: ShutdownReport[] = [];
      const vitals = KubeVitalsModule.forRoot({
        health: { ...health, close: noted('health', health.close) },
        events: { ...events, close: noted('events', events.close) },
        store: { close: noted('store', store.close) },
        shutdown: { ...AT_ONCE, beforeStop: () => preparing.promise, onReport: (report) => void reports.push(report) },
      });
      const { app, port } = await start(moduleOf({ imports: [databases, vitals], controllers: [slow] }));
      const [watch, inFlight] = [raw(port), raw(port)];
      watch.send(GET(`${PATH}?watch=true`));
      await watch.until('HTTP/1.1 200');
      inFlight.send(GET('/slow'));
      await asked.promise;

      const closed = app.close();
      await expect.poll(() => health.isShuttingDown()).toBe(true);
      expect((await get(port, '/readyz')).statusCode).toBe(500);
      expect((await get(port, '/livez')).statusCode).toBe(200);
      expect((await get(port, PATH)).statusCode).toBe(200);
      expect([order, watch.socket.closed]).toEqual([[], false]);

      preparing.open();
      expect((await watch.closed).endsWith('0\r\n\r\n')).toBe(true);
      expect(order).toEqual(['events']);
      go.open();
      expect(await inFlight.closed).toMatch(/connection: close\r\n[^]*answered/i);
      await closed;
      expect(order).toEqual([
        'events',
        'onModuleDestroy',
        'beforeApplicationShutdown',
        'onApplicationShutdown',
        'health',
        'store',
      ]);
      expect(reports).toMatchObject([{ drained: true, cut: { connections: 0, requests: 0 }, failures: [] }]);
    });

    test('cuts what does not end in time, and reports it', async () => {
      const asked = gate();
      const reports: ShutdownReport[] = [];
      const never = controllerOf({
        never: () => {
          asked.open();
          return new Promise(() => undefined);
        },
      });
      const shutdown = {
        ...AT_ONCE,
        drainTimeoutMs: 100,
        onReport: (report: ShutdownReport) => void reports.push(report),
      };
      const { root } = service({ shutdown }, { controllers: [never] });
      const { app, port } = await start(root);
      const client = raw(port);
      client.send(GET('/never'));
      await asked.promise;
      await app.close();
      expect(reports).toMatchObject([{ drained: false, cut: { connections: 1, requests: 1 }, failures: [] }]);
      expect(await client.closed).toBe('');
    });

    test('closes the parts of an application that was never initialized', async () => {
      const order: string[] = [];
      const { events, store } = eventsOfTest();
      const { root, health } = service({
        events: { ...events, close: async () => void order.push('events') },
        store: { close: async () => void order.push('store', String(await store.close())) },
      });
      const app = await create(root);
      await app.close();
      expect([order, health.isShuttingDown()]).toEqual([['events', 'store', 'undefined'], true]);
    });

    test('closes nothing with shutdown: false, for a service that installs the shutdown itself', async () => {
      const { root, health, events, create: add } = service({ shutdown: false });
      const { app, port } = await start(root);
      await app.close();
      expect(health.isShuttingDown()).toBe(false);
      expect(await add('one')).toBe(201);
      await expect(get(port, '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

      const second = await start(root);
      const installed = installShutdown({
        server: second.app.getHttpServer() as Server,
        health,
        events,
        close: () => second.app.close(),
        signals: [],
        ...AT_ONCE,
      });
      expect(await installed.shutdown()).toMatchObject({ drained: true, failures: [] });
    });

    test('does no harm to a service that installs the shutdown as well', async () => {
      const { root, health, events } = service();
      const { app, port } = await start(root);
      const server = app.getHttpServer() as Server;
      const { shutdown } = installShutdown({
        server,
        health,
        events,
        close: () => app.close(),
        signals: [],
        ...AT_ONCE,
      });
      const watch = raw(port);
      watch.send(GET(`${PATH}?watch=true`));
      await watch.until('HTTP/1.1 200');
      expect(await shutdown()).toMatchObject({ drained: true, failures: [] });
      expect((await watch.closed).endsWith('0\r\n\r\n')).toBe(true);
    });
  });
});

describe('the module of Nest', () => {
  test('closes its parts in an application without HTTP, and reports it', async () => {
    const { events, store } = eventsOfTest();
    const health = createHealth();
    const beforeStop = vi.fn();
    const onReport = vi.fn();
    const vitals = KubeVitalsModule.forRoot({ health, events, store, shutdown: { beforeStop, onReport } });
    const context = await NestFactory.createApplicationContext(moduleOf({ imports: [vitals] }), { logger: false });
    expect(context.get(HEALTH)).toBe(health);
    await context.close();
    expect(health.isShuttingDown()).toBe(true);
    await expect(store.revision()).rejects.toMatchObject({ code: 'closed' });
    expect(beforeStop).toHaveBeenCalledOnce();
    const cut = { connections: 0, requests: 0 };
    expect(onReport.mock.calls).toEqual([[{ drained: true, cut, failures: [], durationMs: expect.any(Number) }]]);
  });

  test('on Express leaves middleware of other modules out, and follows a signal of the service', async () => {
    const { events } = eventsOfTest();
    const stopping = new AbortController();
    const seen: string[] = [];
    const vitals = KubeVitalsModule.forRoot({
      health: createHealth(),
      events,
      signal: stopping.signal,
      shutdown: AT_ONCE,
    });
    const logging = {
      configure(consumer: MiddlewareConsumer): void {
        consumer
          .apply((request: { readonly originalUrl: string }, _: unknown, next: () => void) => {
            seen.push(request.originalUrl);
            next();
          })
          .forRoutes(own);
      },
    };
    const app = await NestFactory.create(moduleOf({ imports: [vitals], controllers: [own] }, logging), {
      logger: false,
    });
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    await whole(await get(port, '/readyz'));
    await whole(await get(port, '/own'));
    expect(seen).toEqual(['/own']);
    const watch = await get(port, `${PATH}?watch=true`);
    stopping.abort();
    expect(await whole(watch)).toBe('');
  });

  test('reports faults of its options, before Nest starts or while it does', async () => {
    expect(() => KubeVitalsModule.forRoot({ health: createHealth().handle, basePath: ['ops'] } as never)).toThrow(
      /^KubeVitalsModule: (?=.*basePath\[0\] must be a path)(?=.*health must be the object of createHealth)/,
    );
    expect(() => KubeVitalsModule.forRoot({ health: createHealth(), basePath: [] })).toThrow(
      /^KubeVitalsModule: basePath must be a path/,
    );
    expect(() =>
      KubeVitalsModule.forRoot({ health: createHealth(), shutdown: { delayMs: -1, exit: true } } as never),
    ).toThrow(/shutdown\.delayMs must be a number.*there is no option "shutdown\.exit"/);
    expect(() => KubeVitalsModule.forRoot({ health: createHealth(), shutdown: true } as never)).toThrow(
      /shutdown must be an object/,
    );
    expect(() => KubeVitalsModule.forRootAsync({ useClass: class {}, inject: 'DATABASE' } as never)).toThrow(
      /^KubeVitalsModule: (?=.*useFactory must be a function)(?=.*inject must be a list)(?=.*no option "useClass")/,
    );
    const made = moduleOf({ imports: [KubeVitalsModule.forRootAsync({ useFactory: () => ({}) as never })] });
    const starting = NestFactory.create(made, { logger: false, abortOnError: false });
    await expect(starting).rejects.toThrow('KubeVitalsModule: health must be the object of createHealth');
  });

  test('has the type of a dynamic module of Nest', () => {
    const module: NestDynamicModule = KubeVitalsModule.forRoot({ health: createHealth() });
    const dynamic: DynamicModule = module;
    const type: Type = KubeVitalsModule;
    expect([dynamic.module, type.name]).toEqual([KubeVitalsModule, 'KubeVitalsModule']);
  });

  test('responds to inject() of Fastify and call() without a socket', async () => {
    const { events } = eventsOfTest();
    const health = createHealth();
    const vitals = KubeVitalsModule.forRoot({ health, events, shutdown: AT_ONCE });
    const app = await NestFactory.create(moduleOf({ imports: [vitals] }), new FastifyAdapter(), { logger: false });
    onTestFinished(() => app.close());
    await app.init();
    const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
    await fastify.ready();
    expect((await fastify.inject('/readyz')).payload).toBe('ok');
    expect((await call(events.as({ name: 'jane' }), `GET ${PATH}`)).status).toBe(200);
  });
});
