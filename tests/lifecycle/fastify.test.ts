import cors from '@fastify/cors';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:http2';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toFastifyPlugin } from '../../src/fastify.js';
import { firstOf } from '../../src/http/handler.js';
import { createHealth } from '../../src/index.js';
import { event, eventsOfTest, PATH } from './events-api.js';
import { feedHandler, gate, get, text, whole } from './support.js';

const health = createHealth();

async function listen(
  build: (app: FastifyInstance) => unknown,
  options: FastifyServerOptions = {},
): Promise<{ readonly app: FastifyInstance; readonly port: number }> {
  const app = fastify(options);
  onTestFinished(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  await build(app);
  return { app, port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port) };
}

async function post(port: number, path: string, value: unknown): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json' };
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
  request.end(JSON.stringify(value));
  const [response] = (await once(request, 'response')) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode;
}

describe('the plugin of Fastify', () => {
  test('serves its paths and leaves the others to the routes and the 404 of the service', async () => {
    const { events } = eventsOfTest();
    const { app, port } = await listen((service) => {
      void service.register(toFastifyPlugin(firstOf(health.handle, events.handle)));
      service.get('/own', async () => 'own');
      service.post('/own', async (request) => request.body);
    });
    expect(await whole(await get(port, '/readyz'))).toBe('ok');
    expect(await post(port, PATH, event('one'))).toBe(201);
    expect(await post(port, '/own', { a: 1 })).toBe(200);
    expect(await whole(await get(port, '/own'))).toBe('own');
    expect(await whole(await get(port, '/none'))).toContain('Route GET:/none not found');
    const injected = await app.inject('/readyz?verbose');
    expect([injected.statusCode, injected.payload]).toEqual([200, expect.stringContaining('[+]ping ok')]);
  });

  test.each([
    [
      'the prefix of register',
      (service: FastifyInstance, plugin: ReturnType<typeof toFastifyPlugin>) =>
        service.register(plugin, { prefix: '/ops' }),
    ],
    [
      'a plugin with a prefix',
      (service: FastifyInstance, plugin: ReturnType<typeof toFastifyPlugin>) =>
        service.register(
          async (ops) => {
            await ops.register(plugin);
            ops.get('/own', async () => 'own below ops');
            ops.get('/api', async () => 'own api');
          },
          { prefix: '/ops' },
        ),
    ],
    [
      'prefixes of both',
      (service: FastifyInstance, plugin: ReturnType<typeof toFastifyPlugin>) =>
        service.register(async (outer) => void outer.register(plugin, { prefix: '/s' }), { prefix: '/op' }),
    ],
  ])('works below %s', async (title, register) => {
    const { events } = eventsOfTest();
    const { port } = await listen(async (service) => {
      await register(service, toFastifyPlugin(firstOf(health.handle, events.handle)));
      service.get('/readyz', async () => 'own readyz');
    });
    const prefix = title === 'prefixes of both' ? '/op/s' : '/ops';
    expect(await whole(await get(port, `${prefix}/readyz`))).toBe('ok');
    expect(await post(port, prefix + PATH, event('one'))).toBe(201);
    expect(await whole(await get(port, '/readyz'))).toBe('own readyz');
    expect((await get(port, `${prefix}/none`)).statusCode).toBe(404);
    expect(await post(port, `${prefix}/none`, {})).toBe(404);
    expect(await whole(await get(port, `${prefix}/apis`))).toContain('"APIGroupList"');
    if (title !== 'a plugin with a prefix') return;
    expect(await whole(await get(port, '/ops/own'))).toBe('own below ops');
    expect(await whole(await get(port, '/ops/api'))).toBe('own api');
  });

  test.each(['/:name', 'ops', '/o ps', '/ops?'])('fails to load with the prefix %j', async (prefix) => {
    for (const outer of ['', '/outer']) {
      const service = fastify();
      void service.register(
        (plugin, _options, done) => {
          void plugin.register(toFastifyPlugin(health.handle), { prefix });
          done();
        },
        { prefix: outer },
      );
      await expect(service.ready()).rejects.toThrow('toFastifyPlugin: the prefix must be a path such as /ops');
    }
  });

  test('fails to load in a plugin whose prefix has parameters, which would match no path', async () => {
    const service = fastify();
    void service.register(
      (plugin, _options, done) => {
        void plugin.register(toFastifyPlugin(health.handle));
        done();
      },
      { prefix: '/:name' },
    );
    await expect(service.ready()).rejects.toThrow('toFastifyPlugin: the prefix must be a path such as /ops');
  });

  test('works in a plugin without a prefix, such as a file of @fastify/autoload, after the hooks of that plugin', async () => {
    const { events } = eventsOfTest();
    const asked: string[] = [];
    const { port } = await listen(async (service) => {
      await service.register(cors);
      await service.register(async (plugin) => {
        plugin.addHook('onRequest', async ({ url }) => void asked.push(url));
        await plugin.register(toFastifyPlugin(firstOf(health.handle, events.handle)));
      });
      service.get('/own', async () => 'own');
      service.get('/api', async () => 'own api');
    });
    expect(await whole(await get(port, '/readyz'))).toBe('ok');
    expect(await post(port, PATH, event('one'))).toBe(201);
    expect(await whole(await get(port, '/own'))).toBe('own');
    expect(await whole(await get(port, '/api'))).toBe('own api');
    expect(await whole(await get(port, '/apis'))).toContain('"APIGroupList"');
    expect(await whole(await get(port, '/none'))).toContain('Route GET:/none not found');
    expect(asked).toEqual(['/readyz', PATH, '/apis', '/none']);
  });

  test("leaves discovery to the service's routes, and serves it where there are none", async () => {
    const { events } = eventsOfTest();
    const { port } = await listen((service) => {
      void service.register(toFastifyPlugin(events.handle));
      service.get('/api', async () => 'own');
    });
    expect(await whole(await get(port, '/api'))).toBe('own');
    expect(await whole(await get(port, '/apis'))).toContain('"APIGroupList"');
    expect((await get(port, '/openapi/v3')).statusCode).toBe(200);
  });

  test('keeps the headers of hooks, and runs onResponse', async () => {
    const responses: number[] = [];
    const { events } = eventsOfTest();
    const { port } = await listen(async (service) => {
      await service.register(cors, { origin: ['https://ui.example.com'] });
      service.addHook(
        'onRequest',
        async (_, reply) => void reply.header('x-hook', 'ran').header('set-cookie', ['a', 'b']),
      );
      service.addHook('onResponse', async (_, reply) => void responses.push(reply.raw.statusCode));
      await service.register(toFastifyPlugin(firstOf(health.handle, events.handle)));
    });
    const { headers } = await get(port, '/readyz', { headers: { origin: 'https://ui.example.com' } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://ui.example.com',
      'x-hook': 'ran',
      'set-cookie': ['a', 'b'],
      vary: 'Origin',
    });
    const discovery = await get(port, '/openapi/v2', { headers: { origin: 'https://ui.example.com' } });
    expect(discovery.headers.vary).toBe('Origin, Accept-Encoding, Accept');
    const preflight = await get(port, PATH, {
      method: 'OPTIONS',
      headers: { origin: 'https://ui.example.com', 'access-control-request-method': 'GET' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(responses).toEqual([200, 200, 204]);
  });

  test('runs the hooks of the plugin that has the prefix', async () => {
    const { port } = await listen((service) =>
      service.register(
        async (ops) => {
          await ops.register(toFastifyPlugin(health.handle));
          ops.addHook('onRequest', async (_, reply) => void reply.header('x-hook', 'ran'));
        },
        { prefix: '/ops' },
      ),
    );
    expect((await get(port, '/ops/readyz')).headers['x-hook']).toBe('ran');
  });

  test('ends open watches on app.close(), which is then complete', async () => {
    const { events, create } = eventsOfTest();
    const { app, port } = await listen((service) => void service.register(toFastifyPlugin(events.handle)));
    const watch = await get(port, `${PATH}?watch=true`, { agent: undefined });
    const chunks = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    await create('one');
    expect(String((await chunks.next()).value)).toContain('"name":"one"');
    const begun = performance.now();
    const closed = app.close();
    expect((await chunks.next()).done).toBe(true);
    await closed;
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  test('follows a signal of the service as well, and names the faults of its arguments', async () => {
    const stopping = new AbortController();
    const { handler, at } = feedHandler();
    const { port } = await listen(
      (service) => void service.register(toFastifyPlugin(handler, { signal: stopping.signal })),
    );
    const watch = await get(port, '/watch');
    stopping.abort();
    await (
      await at(0)
    ).aborted;
    expect(await whole(watch)).toBe('');
    expect(() => toFastifyPlugin(undefined as never, { basePath: 'ops' })).toThrow(
      /toFastifyPlugin: the handler.*basePath/,
    );
  });

  test('app.close() waits for a response in flight', async () => {
    const asked = gate();
    const go = gate();
    const { app, port } = await listen(
      (service) =>
        void service.register(
          toFastifyPlugin(async () => {
            asked.open();
            await go.promise;
            return text('answered');
          }),
        ),
    );
    const response = get(port, '/slow');
    await asked.promise;
    const closed = app.close();
    go.open();
    expect(await whole(await response)).toBe('answered');
    await closed;
  });

  test('app.close() does not wait for a stream of HTTP/2 that the client reset before the response', async () => {
    const asked = gate<AbortSignal>();
    const app = fastify({ http2: true });
    void app.register(
      toFastifyPlugin(async (request) => {
        const signal = request.signal as AbortSignal;
        asked.open(signal);
        await once(signal, 'abort');
        return text('late');
      }),
    );
    const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }));
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/' });
    const signal = await asked.promise;
    stream.close(8);
    await once(signal, 'abort');
    session.close();
    await app.close();
  });
});
