import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHolds } from '../../src/checks.js';
import { nextTurn } from '../../src/clock/clock.js';
import { createHealth, type Health } from '../../src/index.js';
import { installShutdown, toNodeListener, type InstallShutdownOptions } from '../../src/node.js';
import { fakeClock } from '../../src/testing.js';
import { gate, get, listen, raw, whole } from './support.js';

// What docs/guides/migrating.md promises to services that used terminus, lightship or @nestjs/terminus, and no other
// test asserts.

/** A service as the guide has it: health in front of its own routes, which respond with their path. */
async function service(health: Health): Promise<{ readonly server: Server; readonly port: number }> {
  const vitals = toNodeListener(health.handle);
  return listen((req, res) => vitals(req, res, () => res.end(`own ${req.url}`)));
}

async function answerOf(port: number, path: string): Promise<readonly [status: number | undefined, body: string]> {
  const response = await get(port, path);
  return [response.statusCode, await whole(response)];
}

afterEach(() => void vi.restoreAllMocks());

describe('the endpoints of a service that used another library', () => {
  test('respond with 200, and 500 instead of 503 while a check fails', async () => {
    const health = createHealth();
    let up = true;
    health.add({ name: 'database', check: () => up });
    const { port } = await service(health);
    expect(await answerOf(port, '/readyz')).toEqual([200, 'ok']);
    up = false;
    for (const path of ['/readyz', '/healthz', '/readyz?verbose', '/readyz?format=json']) {
      expect((await get(port, path)).statusCode, path).toBe(500);
    }
    expect(await answerOf(port, '/livez')).toEqual([200, 'ok']);
  });

  test('are text with ?verbose and JSON with ?format=json, whatever the client accepts', async () => {
    const { port } = await service(createHealth());
    const headers = { accept: 'application/json' };
    const verbose = await get(port, '/readyz?verbose', { headers });
    expect(verbose.headers['content-type']).toMatch(/^text\/plain/);
    expect(await whole(verbose)).toMatch(/^\[\+\]ping ok\n/);
    const json = await get(port, '/readyz?format=json');
    expect(json.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(await whole(json))).toMatchObject({ status: 'ok' });
  });

  test.each(['/live', '/ready', '/health', '/health/live'])('leave %s to the routes of the service', async (path) => {
    const { port } = await service(createHealth());
    expect(await answerOf(port, path)).toEqual([200, `own ${path}`]);
  });

  test('can be served on a port of their own, which the same shutdown closes', async () => {
    const health = createHealth();
    const own = await listen((_req, res) => void res.end('own'));
    const { server, port } = await listen(toNodeListener(health.handle));
    expect(await answerOf(port, '/livez')).toEqual([200, 'ok']);
    expect(await answerOf(own.port, '/livez')).toEqual([200, 'own']);
    const installed = installShutdown({ server: [own.server, server], health, signals: [], idleGraceMs: 0 });
    expect(await installed.shutdown()).toMatchObject({ drained: true, failures: [] });
    expect([own.server.listening, server.listening]).toEqual([false, false]);
  });

  test('give an old route the status to respond with', async () => {
    const health = createHealth();
    let check: () => boolean | { ok: false; reason: string; critical: false } = () => true;
    health.add({ name: 'database', check: () => check() });
    const vitals = toNodeListener(health.handle);
    const { port } = await listen((req, res) =>
      vitals(req, res, () => {
        void health.report('readyz').then(({ status }) => {
          res.statusCode = status === 'failed' ? 503 : 200;
          res.end(status);
        });
      }),
    );
    expect(await answerOf(port, '/health')).toEqual([200, 'ok']);
    check = () => ({ ok: false, reason: 'slow', critical: false });
    expect(await answerOf(port, '/health')).toEqual([200, 'degraded']);
    check = () => false;
    expect(await answerOf(port, '/health')).toEqual([503, 'failed']);
  });
});

describe('readiness, instead of the signals of lightship', () => {
  test('begins with done() of a post-start hook, which livez waits for as well unless it has a grace period', async () => {
    for (const [livezGracePeriodMs, livez] of [
      [0, 500],
      [60_000, 200],
    ]) {
      const health = createHealth({ livezGracePeriodMs });
      const started = health.addPostStartHook('start');
      const { port } = await service(health);
      expect([(await get(port, '/readyz')).statusCode, (await get(port, '/livez')).statusCode]).toEqual([500, livez]);
      started.done();
      expect([(await get(port, '/readyz')).statusCode, (await get(port, '/livez')).statusCode]).toEqual([200, 200]);
    }
  });

  test('pauses while notReady holds, and ends for good with startShutdown', async () => {
    const health = createHealth();
    const holds = createHolds();
    health.add(holds.check);
    const { port } = await service(health);
    const statusOf = async (path: string): Promise<number | undefined> => (await get(port, path)).statusCode;
    const release = holds.notReady('importing the catalogue');
    expect([await statusOf('/readyz'), await statusOf('/livez')]).toEqual([500, 200]);
    release();
    expect(await statusOf('/readyz')).toBe(200);
    health.startShutdown();
    expect([await statusOf('/readyz'), await statusOf('/livez')]).toEqual([500, 200]);
    expect(await answerOf(port, '/own')).toEqual([200, 'own /own']);
  });
});

describe('the shutdown, instead of hooks and beacons', () => {
  /** A service whose `close` waits for holds, as the guide replaces beacons. */
  async function withBeacons(options: Partial<InstallShutdownOptions> = {}) {
    const clock = fakeClock();
    const holds = createHolds({ clock });
    const health = createHealth({ clock });
    const server = createServer((_req, res) => void res.end());
    const close = (): Promise<void> => holds.released();
    const quiet = { signals: [], observe: () => undefined };
    const installed = installShutdown({ server, health, clock, idleGraceMs: 0, close, ...quiet, ...options });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    /** Time passes, until the condition holds. */
    const passUntil = (condition: () => boolean): Promise<void> =>
      vi.waitFor(() => {
        clock.advance(10);
        expect(condition()).toBe(true);
      });
    return { clock, holds, installed, passUntil, port: (server.address() as AddressInfo).port };
  }

  test('waits in close for every hold that is active', async () => {
    const { holds, installed, passUntil } = await withBeacons();
    const [first, second] = [holds.ready('billing run'), holds.ready('report')];
    const shutdown = installed.shutdown();
    await passUntil(() => installed.phase() === 'closing');
    first();
    await nextTurn();
    expect(installed.phase()).toBe('closing');
    second();
    expect(await shutdown).toMatchObject({ drained: true, failures: [] });
  });

  test('waits for holds no longer than closeTimeoutMs, and reports that it did not', async () => {
    const { clock, holds, installed, passUntil } = await withBeacons({ closeTimeoutMs: 5_000 });
    holds.ready('billing run');
    const shutdown = installed.shutdown();
    await passUntil(() => installed.phase() === 'closing');
    clock.advance(4_000);
    await nextTurn();
    expect(installed.phase()).toBe('closing');
    clock.advance(1_000);
    expect((await shutdown).failures).toMatchObject([{ step: 'close' }]);
  });

  test('waits for requests in flight without a hold, and calls onReport after close', async () => {
    const order: string[] = [];
    const [asked, go] = [gate(), gate()];
    const { server, port } = await listen((_req, res) => {
      asked.open();
      void go.promise.then(() => {
        order.push('answered');
        res.end('own');
      });
    });
    const installed = installShutdown({
      server,
      health: createHealth(),
      signals: [],
      idleGraceMs: 0,
      close: () => void order.push('close'),
      onReport: () => void order.push('onReport'),
    });
    const client = raw(port);
    client.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await asked.promise;
    const shutdown = installed.shutdown();
    await vi.waitFor(() => expect(installed.phase()).toBe('draining'));
    go.open();
    expect(await client.closed).toMatch(/own$/m);
    await shutdown;
    expect(order).toEqual(['answered', 'close', 'onReport']);
  });

  test.each([
    ['0 after a signal', () => undefined, 0],
    ['1 if a step failed', () => Promise.reject(new Error('the database is away')), 1],
  ])('ends the process with code %s', async (_which, close, code) => {
    const exited = gate<number | string | null | undefined>();
    const codeBefore = process.exitCode;
    vi.spyOn(process, 'exit').mockImplementation(() => {
      exited.open(process.exitCode);
      return undefined as never;
    });
    onTestFinished(() => void (process.exitCode = codeBefore));
    const { server } = await listen((_req, res) => void res.end());
    const quiet = { idleGraceMs: 0, observe: () => undefined };
    installShutdown({ server, health: createHealth(), signals: ['SIGUSR2'], close, ...quiet });
    process.emit('SIGUSR2');
    expect(await exited.promise).toBe(code);
  });
});
