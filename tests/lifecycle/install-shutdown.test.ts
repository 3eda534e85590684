import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { allowAnonymous, allowEverybody, createEvents, createHealth, firstOf, memoryStore } from '../../src/index.js';
import { createRecorder } from '../../src/client.js';
import type { ApiHandler } from '../../src/http/handler.js';
import {
  installShutdown,
  toNodeListener,
  type InstalledShutdown,
  type InstallShutdownOptions,
  type ShutdownReport,
  type ShutdownServer,
} from '../../src/node.js';
import { fakeClock, type FakeClock } from '../../src/testing.js';
import { PATH } from './event.js';
import { ENOUGH, type Outcome, type Target } from './strict-load.js';
import { gate, get, raw, text, whole } from './support.js';

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const EVENTS = '/apis/events.example.com/v1/events';

interface Service {
  readonly server: Server;
  readonly port: number;
  readonly installed: InstalledShutdown;
  /** What was closed, in this order. */
  readonly closed: string[];
}

/** A service with health, events and one route of its own, whose shutdown is installed in one call. */
async function serviceWith(own: RequestListener, options: Partial<InstallShutdownOptions> = {}): Promise<Service> {
  const closed: string[] = [];
  const store = memoryStore();
  const health = createHealth();
  const events = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
  });
  const ours = toNodeListener(firstOf(health.handle, events.handle));
  const server = createServer((req, res) => ours(req, res, () => own(req, res)));
  const noted = (name: string, close: () => void | Promise<void>) => (): Promise<void> => {
    closed.push(name);
    return Promise.resolve(close());
  };
  const installed = installShutdown({
    server,
    health: { ...health, close: () => void noted('health', health.close)() },
    events: { close: noted('events', events.close) },
    store: { close: noted('store', store.close) },
    close: noted('close', () => undefined),
    signals: [],
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, installed, closed };
}

/** Moves the clock in steps, between which sockets have time, until nothing is thrown. */
const advanceUntil = (clock: FakeClock, stepMs: number, check: () => void): Promise<void> =>
  vi.waitFor(
    () => {
      clock.advance(stepMs);
      check();
    },
    { interval: 1 },
  );

describe('installShutdown', () => {
  test.each([
    [{ delayMs: 1_000, drainTimeoutMs: 2_000, idleGraceMs: 500 }, 6_500],
    [{}, 65_000],
  ])('waits for beforeStop for the delay, the drain and the idle grace, and three seconds (%o)', async (times, ms) => {
    const clock = fakeClock();
    const { shutdown, phase } = installShutdown({
      ...{ server: createServer(), health: createHealth(), signals: [], clock, ...times },
      beforeStop: () => new Promise(() => undefined),
    });
    void shutdown();
    await turn();
    clock.advance(ms - 1);
    await turn();
    expect(phase()).toBe('delaying');
    clock.advance(1);
    await turn();
    expect(phase()).not.toBe('delaying');
  });

  test('shuts down once and reports once if a listener of health calls it as well', async () => {
    const onReport = vi.fn();
    const health = createHealth();
    const installed = installShutdown({ server: createServer(), health, signals: [], onReport });
    health.onChange(() => void installed.shutdown());
    await installed.shutdown();
    expect(health.isShuttingDown()).toBe(true);
    expect(onReport).toHaveBeenCalledTimes(1);
  });

  test('closes the other parts if a recorder or health throws', async () => {
    const closed: string[] = [];
    const { shutdown } = installShutdown({
      server: createServer(),
      health: {
        ...createHealth(),
        close() {
          throw new Error('health');
        },
      },
      recorder: {
        flush() {
          throw new Error('recorder');
        },
        close: async () => void closed.push('recorder'),
      },
      close: () => void closed.push('service'),
      store: { close: async () => void closed.push('store') },
      signals: [],
    });
    expect((await shutdown()).failures).toEqual([{ step: 'close', error: new Error('health') }]);
    expect(closed).toEqual(['service', 'recorder', 'store']);
  });

  test('writes what was recorded before the store is closed, what its own close records included', async () => {
    const store = memoryStore();
    const events = createEvents({
      apiDomain: 'example.com',
      store,
      authenticate: allowAnonymous(),
      authorize: allowEverybody(),
    });
    const recorder = createRecorder({ events, reportingController: 'example.com/shop' });
    const flushedAtClose: number[] = [];
    const { installed } = await serviceWith((_req, res) => void res.end(), {
      events,
      store,
      recorder,
      close: () => {
        flushedAtClose.push(recorder.stats().written);
        recorder.event({ reason: 'Closed', action: 'Close' });
      },
    });
    for (let count = 0; count < 100; count++)
      recorder.event({ reason: 'Paid', action: 'Charge', note: String(count % 3) });
    const { failures } = await installed.shutdown();
    expect(failures).toEqual([]);
    expect(flushedAtClose).toEqual([100]);
    expect(recorder.stats()).toMatchObject({ recorded: 101, written: 101 });
    recorder.event({ reason: 'Late', action: 'Close' });
    expect(recorder.stats().dropped.closed).toBe(1);
  });

  test('does not wait longer for a recorder than closing may take', async () => {
    const never = (): Promise<void> => new Promise(() => undefined);
    const away = { group: 'events.k8s.io', namespace: undefined, create: never, get: never, patch: never } as never;
    const errors: unknown[] = [];
    const recorder = createRecorder({
      events: away,
      reportingController: 'example.com/shop',
      observe: (observation) => void (observation.type === 'recorder.dropped' && errors.push(observation.error)),
    });
    const { installed, closed } = await serviceWith((_req, res) => void res.end(), { recorder, closeTimeoutMs: 2_000 });
    recorder.event({ reason: 'Paid', action: 'Charge' });
    const { failures } = await installed.shutdown();
    expect(failures).toEqual([]);
    expect(closed).toEqual(['events', 'close', 'health', 'store']);
    expect(recorder.stats().dropped.closed).toBe(1);
    expect(errors).toEqual([new Error('not written in time: closeTimeoutMs of the shutdown is 2000')]);
  });

  test('fails readyz, serves through the delay, ends watches, completes what is in flight and closes in order', async () => {
    const go = gate();
    const asked = gate();
    const preparing = gate();
    const { port, installed, closed } = await serviceWith(
      (_req, res) => {
        asked.open();
        void go.promise.then(() => res.end('own'));
      },
      { beforeStop: () => preparing.promise },
    );
    const [watch, slow] = [raw(port), raw(port)];
    watch.send(GET(`${EVENTS}?watch=true`));
    await watch.until('HTTP/1.1 200');
    slow.send(GET('/own'));
    await asked.promise;

    const shutdown = installed.shutdown();
    expect(installed.shutdown()).toBe(shutdown);
    expect((await get(port, '/readyz')).statusCode).toBe(500);
    expect((await get(port, '/livez')).statusCode).toBe(200);
    expect((await get(port, EVENTS)).statusCode).toBe(200);
    expect([installed.phase(), watch.socket.closed]).toEqual(['delaying', false]);

    preparing.open();
    expect((await watch.closed).endsWith('0\r\n\r\n')).toBe(true);
    go.open();
    expect(await slow.closed).toMatch(/connection: close\r\n[^]*own/i);
    expect(await shutdown).toMatchObject({ drained: true, cut: { connections: 0, requests: 0 }, failures: [] });
    expect(closed).toEqual(['events', 'close', 'health', 'store']);
    expect(installed.phase()).toBe('stopped');
  });

  test('serves everything until delayMs have passed, and closes only then', async () => {
    const clock = fakeClock();
    const { server, port, installed, closed } = await serviceWith((_req, res) => void res.end('own'), {
      clock,
      delayMs: 10_000,
    });
    const watch = raw(port);
    watch.send(GET(`${EVENTS}?watch=true`));
    await watch.until('HTTP/1.1 200');
    clock.advance(86_400_000);
    const shutdown = installed.shutdown();
    await turn();
    clock.advance(9_999);
    await turn();
    expect(installed.phase()).toBe('delaying');
    expect((await get(port, '/readyz')).statusCode).toBe(500);
    const response = await get(port, '/own', { agent: new Agent({ keepAlive: true }) });
    expect([await whole(response), response.headers.connection]).toEqual(['own', 'keep-alive']);
    expect([installed.phase(), server.listening, watch.socket.closed, closed]).toEqual(['delaying', true, false, []]);
    clock.advance(1);
    await watch.until('\r\n0\r\n\r\n');
    expect([installed.phase(), closed]).toEqual(['draining', ['events']]);
    await advanceUntil(clock, 100, () => expect(installed.phase()).toBe('stopped'));
    const { durationMs, ...report } = await shutdown;
    expect(report).toMatchObject({ drained: true, failures: [] });
    expect(durationMs).toBeGreaterThan(10_000);
    expect(durationMs).toBeLessThan(86_400_000);
    expect(closed).toEqual(['events', 'close', 'health', 'store']);
  });

  test('cuts what is left at drainTimeoutMs and reports it', async () => {
    const asked = gate();
    const reports: ShutdownReport[] = [];
    const { port, installed } = await serviceWith(() => void asked.open(), {
      drainTimeoutMs: 100,
      onReport(report) {
        reports.push(report);
        throw new Error('ignored');
      },
    });
    const client = raw(port);
    client.send(GET('/never'));
    await asked.promise;
    const report = await installed.shutdown();
    expect(report).toMatchObject({ drained: false, cut: { connections: 1, requests: 1 }, failures: [] });
    expect(reports).toEqual([report]);
    expect(await client.closed).toBe('');
  });

  test.each(['close', 'retry-after'] as const)(
    'closes an idle connection after idleGraceMs, and no earlier (%s)',
    async (whileDraining) => {
      const clock = fakeClock();
      const { server, port, installed } = await serviceWith((_req, res) => void res.end('own'), {
        ...{ clock, whileDraining, idleGraceMs: 10_000 },
      });
      const [client, other] = [raw(port), raw(port)];
      for (const each of [client, other]) {
        each.send(GET('/livez'));
        await each.until('ok');
      }
      const shutdown = installed.shutdown();
      await advanceUntil(clock, 100, () => expect(server.listening).toBe(false));
      clock.advance(9_000);
      await pause(50);
      expect(client.socket.closed).toBe(false);
      other.send(GET('/own'));
      expect(await other.closed).toMatch(
        whileDraining === 'close' ? /connection: close\r\n[^]*own$/i : /HTTP\/1.1 429 [^]*connection: close\r\n/i,
      );
      clock.advance(1_000);
      await client.closed;
      expect(await shutdown).toMatchObject({ drained: true, cut: { connections: 0, requests: 0 } });
    },
  );

  test('cuts what is left on each of several servers after a minute, and reports the sum', async () => {
    const clock = fakeClock();
    const servers = [createServer(), createServer()];
    const { shutdown, phase } = installShutdown({ server: servers, health: createHealth(), signals: [], clock });
    const clients = await Promise.all(
      servers.map(async (server) => {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        onTestFinished(() => void server.close());
        const client = raw((server.address() as AddressInfo).port);
        const asked = once(server, 'request');
        client.send(GET('/never'));
        await asked;
        return client;
      }),
    );
    const report = shutdown();
    await advanceUntil(clock, 1_000, () => expect(phase()).toBe('stopped'));
    expect(await report).toMatchObject({ drained: false, cut: { connections: 2, requests: 2 }, failures: [] });
    await Promise.all(clients.map(({ closed }) => closed));
  });

  test("with 'retry-after' no server stops listening before all of them have sent their responses", async () => {
    const clock = fakeClock();
    const [idle, busy] = [createServer(), createServer()];
    const { shutdown } = installShutdown({
      ...{ server: [idle, busy], health: createHealth(), signals: [], clock, whileDraining: 'retry-after' },
    });
    const asked = once(busy, 'request');
    for (const server of [idle, busy]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
    }
    const client = raw((busy.address() as AddressInfo).port);
    client.send(GET('/own'));
    const [, response] = (await asked) as [unknown, ServerResponse];
    const report = shutdown();
    for (let round = 0; round < 20; round++) {
      clock.advance(50);
      await turn();
    }
    expect([idle.listening, busy.listening]).toEqual([true, true]);
    response.end('own');
    expect(await client.until('own')).toMatch(/connection: close/i);
    await advanceUntil(clock, 50, () => expect([idle.listening, busy.listening]).toEqual([false, false]));
    expect(await report).toMatchObject({ drained: true, failures: [] });
  });

  test('reports a store that cannot be closed', async () => {
    const error = new Error('the disk is full');
    const { installed } = await serviceWith(() => undefined, { store: { close: () => Promise.reject(error) } });
    expect((await installed.shutdown()).failures).toEqual([{ step: 'close', error }]);
  });

  test('reports that a server which never closes was not drained', async () => {
    const clock = fakeClock();
    const { on, prependListener, emit } = createServer();
    const server = { on, prependListener, emit, close: () => undefined } as unknown as ShutdownServer;
    const health = { startShutdown: () => undefined };
    const { shutdown, phase } = installShutdown({ server, health, signals: [], clock });
    const report = shutdown();
    await advanceUntil(clock, 1_000, () => expect(phase()).toBe('stopped'));
    expect(await report).toMatchObject({ drained: false, cut: { connections: 0, requests: 0 }, failures: [] });
  });

  test.each([
    [undefined, 10_000],
    [2_000, 2_000],
  ])('gives recorders half of closeTimeoutMs to flush and a quarter to close (%s)', async (closeTimeoutMs, limit) => {
    const clock = fakeClock();
    const ended: unknown[] = [];
    const whenAborted =
      (name: string) =>
      ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
        const since = clock.monotonic();
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            ended.push([name, clock.monotonic() - since]);
            resolve();
          }),
        );
      };
    const { shutdown, phase } = installShutdown({
      ...{ server: createServer(), health: createHealth(), signals: [], clock, closeTimeoutMs },
      recorder: [
        { flush: whenAborted('flush'), close: async () => undefined },
        { flush: whenAborted('flush of the second'), close: whenAborted('close of the second') },
      ],
    });
    const report = shutdown();
    await advanceUntil(clock, 50, () => expect(phase()).toBe('stopped'));
    expect(await report).toMatchObject({ drained: true, failures: [] });
    expect(ended).toEqual([
      ['flush', limit / 2],
      ['flush of the second', limit / 2],
      ['close of the second', limit / 4],
    ]);
  });

  test('leaves the signals of recorders that were in time as they are', async () => {
    const clock = fakeClock();
    const signals: AbortSignal[] = [];
    const atOnce = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => void signals.push(signal);
    const { shutdown, phase } = installShutdown({
      ...{ server: createServer(), health: createHealth(), signals: [], clock, closeTimeoutMs: 2_000 },
      recorder: { flush: atOnce, close: atOnce },
      close: () => new Promise(() => undefined),
    });
    const report = shutdown();
    await advanceUntil(clock, 50, () => expect(phase()).toBe('stopped'));
    const error = new Error('close took longer than 2000 ms and was abandoned');
    expect((await report).failures).toEqual([{ step: 'close', error }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test('a first signal after a call of shutdown waits for it instead of ending the process', async () => {
    const before = process.listenerCount('SIGUSR2');
    const preparing = gate();
    const { installed } = await serviceWith(() => undefined, {
      beforeStop: () => preparing.promise,
      signals: ['SIGUSR2'],
      exit: false,
    });
    expect(process.listenerCount('SIGUSR2')).toBe(before + 1);
    const shutdown = installed.shutdown();
    process.emit('SIGUSR2');
    expect(installed.phase()).toBe('delaying');
    preparing.open();
    expect(await shutdown).toMatchObject({ drained: true, failures: [] });
    expect(process.listenerCount('SIGUSR2')).toBe(before);
  });

  test('a step that fails is reported, and the later ones still run', async () => {
    const observed: unknown[] = [];
    const { installed, closed } = await serviceWith(() => undefined, {
      events: { close: () => Promise.reject(new Error('watches')) },
      close: () => Promise.reject(new Error('database is away')),
      observe: (observation) => void observed.push(observation),
    });
    const { failures } = await installed.shutdown();
    expect(failures).toEqual([
      { step: 'endWatches', error: new Error('watches') },
      { step: 'close', error: new Error('database is away') },
    ]);
    expect(closed).toEqual(['health', 'store']);
    expect(observed).toContainEqual({ type: 'error', where: 'lifecycle: close', error: failures[1]?.error });
  });

  test.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(new Error('report'))],
    [
      'throws',
      () => {
        throw new Error('report');
      },
    ],
  ])('an onReport hook that %s neither fails the shutdown nor ends the process', async (_title, onReport) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const { installed } = await serviceWith(() => undefined, { onReport: () => onReport() as undefined });
    expect(await installed.shutdown()).toMatchObject({ drained: true, failures: [] });
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("with 'retry-after' new requests get 429 until the last request in flight has its response", async () => {
    const go = gate();
    const asked = gate();
    const { server, port, installed } = await serviceWith(
      (req, res) => {
        if (req.url === '/slow') asked.open();
        void go.promise.then(() => res.end('own'));
      },
      { whileDraining: 'retry-after' },
    );
    const [slow, idle, watch] = [raw(port), raw(port), raw(port)];
    slow.send(GET('/slow'));
    idle.send(GET('/livez'));
    watch.send(GET(`${EVENTS}?watch=true`));
    await Promise.all([asked.promise, idle.until('ok'), watch.until('HTTP/1.1 200')]);

    const shutdown = installed.shutdown();
    await watch.until('0\r\n\r\n');
    const refused = await get(port, EVENTS);
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers.connection]).toEqual([
      429,
      '5',
      'close',
    ]);
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await whole(refused)).toBe('The apiserver is shutting down, please try again later.\n');
    const before = idle.received().length;
    idle.send(GET('/own'));
    expect((await idle.closed).slice(before)).toMatch(/^HTTP\/1.1 429 [^]*\r\nconnection: close\r\n/i);
    expect((await get(port, '/readyz')).statusCode).toBe(500);
    expect((await get(port, '/livez?verbose')).statusCode).toBe(200);
    expect(server.listening).toBe(true);

    go.open();
    expect(await slow.closed).toMatch(/^HTTP\/1.1 200 [^]*connection: close\r\n[^]*own/i);
    expect(await shutdown).toMatchObject({ drained: true, failures: [] });
    expect(server.listening).toBe(false);
  });

  test("with 'retry-after' a request that never ends is cut at drainTimeoutMs", async () => {
    const asked = gate();
    const { port, installed } = await serviceWith(() => void asked.open(), {
      whileDraining: 'retry-after',
      drainTimeoutMs: 100,
    });
    const client = raw(port);
    client.send(GET('/never'));
    await asked.promise;
    expect(await installed.shutdown()).toMatchObject({ drained: false, cut: { connections: 1, requests: 1 } });
    await client.closed;
  });

  test.each(['close', 'retry-after'] as const)(
    'sends GOAWAY over HTTP/2, finishes streams and cuts the rest (%s)',
    async (whileDraining) => {
      const go = gate();
      const [slowAsked, neverAsked] = [gate(), gate()];
      const own: ApiHandler = async (request) => {
        if (request.url === '/never') neverAsked.open();
        else slowAsked.open();
        await (request.url === '/never' ? new Promise(() => undefined) : go.promise);
        return text('answered');
      };
      const server = createHttp2Server(toNodeListener(own));
      const health = createHealth();
      const installed = installShutdown({
        server: server as unknown as ShutdownServer,
        health,
        signals: [],
        whileDraining,
        drainTimeoutMs: 400,
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      session.on('error', () => undefined);
      const slow = session.request({ ':path': '/slow' });
      const never = session.request({ ':path': '/never' }).on('error', () => undefined);
      await Promise.all([slowAsked.promise, neverAsked.promise]);
      const goaway = once(session, 'goaway');
      const shutdown = installed.shutdown();
      await goaway;
      go.open();
      expect(await whole(slow)).toBe('answered');
      expect(await shutdown).toMatchObject({ drained: false, cut: { connections: 1, requests: 1 } });
      await vi.waitFor(() => expect(never.closed && session.closed).toBe(true));
    },
  );

  test.each([
    ['no server', { server: undefined }, /server must be a server, as createServer\(\)/],
    ['an empty list', { server: [] }, /server must be a server/],
    ['a server that is none in a list', { server: [{}] }, /server\[0\] must be a server/],
    [
      'a signal that no process hears',
      { signals: ['SIGTERM', 'SIGKILL'] },
      /signals: no process can listen for SIGKILL/,
    ],
    ['a signal that does not exist', { signals: ['SIGFOO'] }, /signals: there is no signal "SIGFOO"/],
    [
      'objects without their functions',
      { health: {}, events: {}, recorder: {}, store: {} },
      'installShutdown: health must be the object of createHealth; events must be the object of createEvents; recorder must be the object of createRecorder, or a list of them; store must be a store',
    ],
    ['every fault at once', { delayMs: -1, whileDraining: 'wait', exit: 1 }, /delayMs[^]*whileDraining[^]*exit/],
  ])('refuses %s with a TypeError', (_title, wrong, message) => {
    const install = (): unknown =>
      installShutdown({ server: createServer(), health: createHealth(), ...wrong } as InstallShutdownOptions);
    expect(install).toThrow(TypeError);
    expect(install).toThrow(message);
  });
});

/** A framework of `shutdown-service.ts`, and the exit code or the signal with which its process ends. */
type Row = [framework: string, end: number | string];

/** Each takes several seconds, so that these rows have one mode only. */
const ONLY_CLOSE: readonly Row[] = [
  ['express-4', 0],
  ['fastify', 0],
  ['koa', 0],
  ['h3', 0],
  ['node-https', 0],
  ['node-http2', 0],
];

describe.each(['close', 'retry-after'])(
  'a process under load that gets SIGTERM and drains with %s',
  (whileDraining) => {
    let clients: ChildProcess;
    beforeAll(async () => {
      clients = fork(join(import.meta.dirname, 'strict-client.ts'), { execArgv: ['--import', 'tsx'] });
      await once(clients, 'message');
    });
    afterAll(() => void clients.kill());

    test.each<Row>([
      ['node-http', 0],
      ['express-5', 0],
      ['fastify-hook', 0],
      ['hono', 0],
      // Nest sends the signal to itself again when it is done.
      ['nest-express', 'SIGTERM'],
      ['nest-fastify', 'SIGTERM'],
      ...(whileDraining === 'close' ? ONLY_CLOSE : []),
    ])('loses no accepted request and no event behind %s, and exits with %s', async (framework, end) => {
      const { child, port, exited } = await startService(framework, whileDraining);
      const target = { port, secure: framework === 'node-https', http2: framework === 'node-http2' };
      // Some servers send the headers of a stream only with its first event, which the load creates.
      const watching = openWatch(target);
      clients.send({ ...target, events: PATH });
      await once(clients, 'message');
      const outcome = once(clients, 'message');
      const watch = await watching;
      await pause(100);
      child.kill('SIGTERM');
      const [load] = (await outcome) as [Outcome];
      expect(load.resets).toEqual([]);
      expect(load.responses).toBeGreaterThan(ENOUGH);
      expect(load.farewells).toBeGreaterThan(0);
      expect(load.refused.filter((status) => whileDraining === 'close' || status !== 429)).toEqual([]);
      expect(await watch.complete).toBe(true);
      const { code, report } = await exited;
      expect([code, report]).toMatchObject([end, { drained: true, cut: { requests: 0 }, failures: [] }]);
      expect(load.created.length).toBeGreaterThan(ENOUGH);
      expect(report?.stored.toSorted()).toEqual(load.created.toSorted());
    });
  },
);

/** Longer than the time within which a second signal is a copy of the first one. */
const COPIES_MS = 250;

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a first %s shuts the service down, and a second one ends the process at once, with exit code 1',
  async (signal) => {
    const { child, port, exited } = await startService('node-http', 'close');
    const client = raw(port);
    client.send(GET('/never'));
    await vi.waitFor(async () => expect(await whole(await get(port, '/asked'))).toBe('answered 1'));
    child.kill(signal);
    await vi.waitFor(async () => expect((await get(port, '/readyz')).statusCode).toBe(500));
    await pause(COPIES_MS);
    child.kill(signal);
    expect(await exited).toEqual({ code: 1, report: undefined });
  },
);

test('a signal that a launcher passes on to a process that has got it as well counts once', async () => {
  const { child, exited } = await startService('node-http', 'close', 'twice');
  child.kill('SIGTERM');
  expect(await exited).toMatchObject({ code: 0, report: { drained: true } });
});

test('a process in which nothing else is left waits for a step that hangs, and reports it', async () => {
  const { child, exited } = await startService('node-http', 'close', 'hangs');
  child.kill('SIGTERM');
  const { code, report } = await exited;
  expect([code, report]).toMatchObject([1, { drained: true, failures: [{ step: 'close' }] }]);
});

/** Opens a watch. `complete` resolves when it is over, to whether it had a proper end. */
async function openWatch({ port, secure, http2 }: Target): Promise<{ readonly complete: Promise<boolean> }> {
  const path = `${EVENTS}?watch=true`;
  if (http2 === true) {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': path }).on('error', () => undefined);
    await once(stream, 'response');
    const closed = new Promise((resolve) => stream.resume().once('close', resolve));
    return { complete: closed.then(() => stream.readableEnded && stream.rstCode === 0) };
  }
  const createConnection = (): Socket => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const response = await get(port, path, secure ? { agent: undefined, createConnection } : {});
  const closed = new Promise((resolve) => response.resume().once('close', resolve));
  return { complete: closed.then(() => response.complete) };
}

/** The report of the service, with the names of the events that were in its store. */
interface Report extends ShutdownReport {
  readonly stored: readonly string[];
}

/** Starts `shutdown-service.ts` in a process of its own. */
async function startService(
  framework: string,
  whileDraining: string,
  ...more: readonly string[]
): Promise<{
  readonly child: ChildProcess;
  readonly port: number;
  readonly exited: Promise<{ readonly code: number | string | null; readonly report: Report | undefined }>;
}> {
  const file = join(import.meta.dirname, 'shutdown-service.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', file, framework, whileDraining, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (output += data));
  const exited = once(child, 'close').then(([code, signal]) => {
    const [, report] = output.trim().split('\n');
    return {
      code: (code ?? signal) as number | string | null,
      report: report === undefined ? undefined : (JSON.parse(report) as Report),
    };
  });
  await vi.waitFor(() => expect(output).toContain('\n'), { timeout: 20_000 });
  return { child, port: Number(output.split('\n')[0]), exited };
}
