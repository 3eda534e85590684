import { H3, serve as serveH3 } from 'h3';
import type { RequestListener } from 'node:http';
import polka from 'polka';
import { expect, onTestFinished, test } from 'vitest';
import { toFetchHandler } from '../../src/fetch.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { firstOf } from '../../src/http/handler.js';
import { createHealth } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { eventsOfTest, PATH } from './events-api.js';
import { get, listen, whole } from './support.js';

const inPolka = async (handler: ApiHandler): Promise<number> => {
  const app = polka();
  const vitals = toNodeListener(handler);
  app.use(vitals);
  app.use('/ops', vitals);
  app.get('/own', (_, res) => void res.end('own'));
  app.get('/api', (_, res) => void res.end('own api'));
  return (await listen(app.handler as RequestListener)).port;
};

const inH3 = async (handler: ApiHandler): Promise<number> => {
  const app = new H3();
  const vitals = toFetchHandler(handler);
  const belowOps = toFetchHandler(handler, { basePath: '/ops' });
  app.use(async (event, next) => (await vitals(event.req)) ?? (await belowOps(event.req)) ?? next());
  app.get('/own', () => 'own');
  app.get('/api', () => 'own api');
  const server = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true });
  onTestFinished(() => server.close(true));
  await server.ready();
  return Number(new URL(server.url ?? '').port);
};

test.each([
  ['polka', inPolka],
  ['h3', inH3],
] as const)('%s mounts health and events in one line', async (_, start) => {
  const { events, create } = eventsOfTest();
  const port = await start(firstOf(createHealth().handle, events.handle));
  expect(await whole(await get(port, '/readyz'))).toBe('ok');
  expect(await whole(await get(port, '/ops/readyz'))).toBe('ok');
  expect(await whole(await get(port, '/own'))).toBe('own');
  expect(await whole(await get(port, '/api'))).toBe('own api');
  expect((await get(port, '/none')).statusCode).toBe(404);
  await create('one');
  // From the beginning: srvx below h3 sends the headers of a stream with its first bytes.
  const watch = await get(port, `${PATH}?watch=true`);
  const chunks = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  expect(String((await chunks.next()).value)).toContain('"name":"one"');
});
