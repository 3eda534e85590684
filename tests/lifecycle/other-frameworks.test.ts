import { server as createHapi } from '@hapi/hapi';
import { Elysia } from 'elysia';
import { fromNodeHandler, H3, serve as serveH3 } from 'h3';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import polka from 'polka';
import { expect, onTestFinished, test } from 'vitest';
import { toFetchHandler } from '../../src/fetch.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { firstOf } from '../../src/http/handler.js';
import { createHealth } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { event, eventsOfTest, PATH } from './events-api.js';
import { gate, get, listen, whole } from './support.js';

const JSON_BODY = { 'content-type': 'application/json' };

const inPolka = async (handler: ApiHandler): Promise<number> => {
  const app = polka();
  const vitals = toNodeListener(handler);
  app.use(vitals);
  app.use('/ops', vitals);
  app.get('/own', (_, res) => void res.end('own'));
  app.get('/api', (_, res) => void res.end('own api'));
  return (await listen(app.handler as RequestListener)).port;
};

const inH3 = (handler: ApiHandler): Promise<number> => {
  const app = new H3();
  const vitals = toFetchHandler(handler);
  const belowOps = toFetchHandler(handler, { basePath: '/ops' });
  app.use(async (event, next) => (await vitals(event.req)) ?? (await belowOps(event.req)) ?? next());
  return serveWithH3(app);
};

const inH3OnNode = (handler: ApiHandler): Promise<number> => {
  const app = new H3();
  app.use(fromNodeHandler(toNodeListener(handler)));
  app.use(fromNodeHandler(toNodeListener(handler, { basePath: '/ops' })));
  return serveWithH3(app);
};

const serveWithH3 = async (app: H3): Promise<number> => {
  app.get('/own', () => 'own');
  app.get('/api', () => 'own api');
  const server = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true });
  onTestFinished(() => server.close(true));
  await server.ready();
  return Number(new URL(server.url ?? '').port);
};

const inHapi = async (handler: ApiHandler): Promise<number> => {
  const app = createHapi({ port: 0, host: '127.0.0.1' });
  for (const vitals of [toNodeListener(handler), toNodeListener(handler, { basePath: '/ops' })]) {
    app.ext(
      'onRequest',
      ({ raw: { req, res } }, h) =>
        new Promise((resolve) => {
          res.once('close', () => resolve(h.abandon));
          vitals(req, res, () => resolve(h.continue));
        }),
    );
  }
  app.route([
    { method: 'GET', path: '/own', handler: () => 'own' },
    { method: 'GET', path: '/api', handler: () => 'own api' },
  ]);
  await app.start();
  onTestFinished(async () => {
    app.listener.closeAllConnections();
    await app.stop();
  });
  return Number(app.info.port);
};

test.each([
  ['polka', inPolka],
  ['h3', inH3],
  ['h3 on Node', inH3OnNode],
  ['hapi', inHapi],
] as const)('%s mounts health and events in one line', async (_, start) => {
  const { events, create } = eventsOfTest();
  const port = await start(firstOf(createHealth().handle, events.handle));
  expect(await whole(await get(port, '/readyz'))).toBe('ok');
  expect(await whole(await get(port, '/ops/readyz'))).toBe('ok');
  expect(await whole(await get(port, '/own'))).toBe('own');
  expect(await whole(await get(port, '/api'))).toBe('own api');
  expect((await get(port, '/none')).statusCode).toBe(404);
  await create('one');
  const watch = await get(port, `${PATH}?watch=true`);
  const chunks = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  expect(String((await chunks.next()).value)).toContain('"name":"one"');
});

test.each([
  ['polka', inPolka],
  ['h3', inH3],
  ['h3 on Node', inH3OnNode],
  ['hapi', inHapi],
] as const)(
  '%s passes bodies on, opens a watch without events at once, and ends it with its client',
  async (_, start) => {
    const ended = gate<string>();
    const { events, create } = eventsOfTest({
      observe: (observation) => {
        if (observation.type === 'watch.ended') ended.open(observation.reason);
      },
    });
    const port = await start(events.handle);
    const url = `http://127.0.0.1:${port}${PATH}`;
    const created = await fetch(url, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(event('one')) });
    expect(created.status).toBe(201);
    const { metadata } = (await created.json()) as { metadata: { resourceVersion: string } };

    const watch = await get(port, `${PATH}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    expect(watch.statusCode).toBe(200);
    await create('two');
    const [chunk] = (await once(watch, 'data')) as [Buffer];
    expect(String(chunk)).toContain('"name":"two"');
    watch.destroy();
    expect(await ended.promise).toBe('client-left');
  },
);

test('Elysia mounts health and events with onRequest, and below a prefix with mount', async () => {
  const { events, create } = eventsOfTest();
  const vitals = toFetchHandler(firstOf(createHealth().handle, events.handle));
  const app = new Elysia()
    .onRequest(({ request }) => vitals(request))
    .mount('/ops', async (request) => (await vitals(request)) ?? new Response(null, { status: 404 }))
    .get('/own', () => 'own')
    .get('/api', () => 'own api')
    .post('/own', ({ body }) => body);
  const send = (path: string, body?: object): Promise<Response> => {
    const posted = body && { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) };
    return app.handle(new Request(`http://localhost${path}`, posted));
  };
  for (const [path, response] of [
    ['/readyz', 'ok'],
    ['/ops/readyz', 'ok'],
    ['/own', 'own'],
    ['/api', 'own api'],
  ] as const) {
    expect(await (await send(path)).text()).toBe(response);
  }
  expect(await (await send('/own', { body: 'own' })).json()).toEqual({ body: 'own' });
  expect([(await send('/none')).status, (await send('/ops/none')).status]).toEqual([404, 404]);

  const created = await send(PATH, event('one'));
  expect(created.status).toBe(201);
  const { metadata } = (await created.json()) as { metadata: { resourceVersion: string } };
  const watch = await send(`${PATH}?watch=true&resourceVersion=${metadata.resourceVersion}`);
  await create('two');
  const reader = watch.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"name":"two"');
  await reader.cancel();
});
