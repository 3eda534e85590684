import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import express, { type Express } from 'express';
import morgan from 'morgan';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { pino } from 'pino';
import { pinoHttp } from 'pino-http';
import { afterAll, expect, test } from 'vitest';
import { createHealth } from '../../src/health.js';
import { toNodeListener } from '../../src/node.js';
import { isProbe, loggerObserver, type ProbeRequest } from '../../src/observers.js';
import { gate, get, listen, whole } from './support.js';

/** Says which requests are not logged. */
type Ignore = (request: ProbeRequest) => boolean;

/** Adds a logger to an application. It calls `log` with the path of each request that it logs. */
type AddLogger = (app: Express, ignore: Ignore, log: (path: string) => void) => void;

const withPinoHttp: AddLogger = (app, ignore, log) => {
  const write = (line: string): void => log((JSON.parse(line) as { req: { url: string } }).req.url);
  app.use(pinoHttp({ autoLogging: { ignore } }, { write }));
};

const withMorgan: AddLogger = (app, skip, log) => {
  const write = (line: string): void => log(/"GET (\S+) HTTP/.exec(line)?.[1] ?? line);
  app.use(morgan('combined', { skip, stream: { write } }));
};

// One for all tests: it changes the module of Node once, when that is required, and not again after `disable()`.
const instrumentation = new HttpInstrumentation();
createRequire(import.meta.url)('node:http');
afterAll(() => instrumentation.disable());

const withOpenTelemetry: AddLogger = (_app, ignoreIncomingRequestHook, log) => {
  const onEnd = ({ attributes }: ReadableSpan): void =>
    log(String(attributes['url.path'] ?? attributes['http.target']));
  const done = (): Promise<void> => Promise.resolve();
  const processor = { onStart: () => undefined, onEnd, forceFlush: done, shutdown: done };
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
  instrumentation.setConfig({ ignoreIncomingRequestHook, disableOutgoingRequestInstrumentation: true });
};

const LOGGERS = [
  ['pino-http', withPinoHttp],
  ['morgan', withMorgan],
  ['OpenTelemetry', withOpenTelemetry],
] as const;

/** Asks an application with health for a probe and for a route of its own; returns the paths that were logged. */
async function logged(addLogger: AddLogger, ignore: Ignore, prefix: string): Promise<string[]> {
  const paths: string[] = [];
  const ownLogged = gate();
  const app = express();
  addLogger(app, ignore, (path) => {
    paths.push(path);
    if (path.endsWith('/own')) ownLogged.open();
  });
  app.use(prefix || '/', toNodeListener(createHealth().handle));
  app.get(`${prefix}/own`, (_, res) => void res.send('own'));
  const { port } = await listen(app as unknown as RequestListener);
  expect(await whole(await get(port, `${prefix}/livez`))).toBe('ok');
  expect(await whole(await get(port, `${prefix}/own`))).toBe('own');
  await ownLogged.promise;
  return paths;
}

test.each(LOGGERS)('%s with isProbe logs requests of the service and no probes', async (_, addLogger) => {
  expect(await logged(addLogger, isProbe, '')).toEqual(['/own']);
});

test.each(LOGGERS)('%s with isProbe logs no probes below a prefix that is removed first', async (_, addLogger) => {
  const ignore: Ignore = ({ url = '' }) => isProbe({ url: url.replace(/^\/ops/, '') });
  expect(await logged(addLogger, ignore, '/ops')).toEqual(['/ops/own']);
});

test.each(LOGGERS)('%s without isProbe logs the probes as well', async (_, addLogger) => {
  expect(await logged(addLogger, () => false, '')).toEqual(['/livez', '/own']);
});

test('loggerObserver gives pino errors that it prints with their type, stack and cause', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const observe = loggerObserver(logger);
  const error = new TypeError('the database is away', { cause: new RangeError('no such port') });
  const health = createHealth({ observe });
  health.add({
    name: 'database',
    check() {
      throw error;
    },
  });
  const { port } = await listen(toNodeListener(health.handle));
  expect((await get(port, '/readyz')).statusCode).toBe(500);
  void observe({ type: 'error', where: 'expiry', error, count: 3 });

  const stack = expect.stringMatching(/^TypeError: the database is away\n {4}at [^]*\ncaused by: RangeError: no such/);
  const err = expect.objectContaining({ type: 'TypeError', stack }) as unknown;
  expect(lines).toEqual([
    expect.objectContaining({ level: 50, check: 'database', status: 'failed', err }),
    expect.objectContaining({
      level: 50,
      where: 'expiry',
      count: 3,
      err,
      msg: expect.stringMatching(/^error in expiry: /),
    }),
  ]);
});
