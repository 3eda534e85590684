import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentEngines, startDatabase, type Database } from '../support/databases.js';
import { eventsPath, newEvent, type Stored } from '../support/event-api.js';
import { createHttpClient, isLost, type Ask, type HttpClient } from '../support/http-client.js';
import { childrenOf } from '../support/processes.js';
import { resultLine, runRound } from '../support/round.js';
import { print, readSettings, testTimeoutMs } from '../support/settings.js';
import { createServer, type Server } from '../support/standalone.js';
import { until } from '../support/waiting.js';
import { recordWatch } from '../support/watch-recorder.js';

const settings = readSettings();
const { seed, seconds } = settings;
const timeout = testTimeoutMs(settings);

describe.each(presentEngines())('kube-vitals serve --workers=2 over %s', (engine) => {
  const http = createHttpClient();
  let database: Database;
  let server: Server;
  beforeAll(async () => {
    database = await startDatabase(engine);
    server = await createServer({ name: 'the server', store: database.store, flags: ['--workers=2'] });
    await server.start();
  });
  afterAll(async () => {
    http.close();
    await server.remove();
    await database.remove();
  });

  const ask = async <T>(client: HttpClient, what: Ask): Promise<T> => {
    const response = await client.ask(server, what);
    if (isLost(response) || response.status > 201) throw new Error(isLost(response) ? response.reason : response.text);
    return JSON.parse(response.text) as T;
  };
  const create = async (client: HttpClient, namespace: string, name: string): Promise<number> => {
    const body = newEvent(namespace, name, `${namespace}.${name}`);
    const stored = await ask<Stored>(client, { method: 'POST', path: eventsPath(namespace), body });
    return Number(stored.metadata.resourceVersion);
  };
  const workers = (): Promise<number[]> => childrenOf(server.pid ?? NaN);

  /** Kills a worker and waits until another one serves in its place. */
  const killWorker = async (pid: number): Promise<void> => {
    const served = server.log().length;
    process.kill(pid, 'SIGKILL');
    await until('a worker serves in its place', () => /serves again/.test(server.log().slice(served)), 60_000);
    expect(await workers()).not.toContain(pid);
  };

  it('a read through one worker shows the writes that another one has acknowledged', async () => {
    const [one, other] = await clientsOfBothWorkers(server);
    const namespace = 'fresh';
    for (let index = 0; index < 200; index++) {
      const [writer, reader] = index % 2 === 0 ? [one, other] : [other, one];
      const revision = await create(writer, namespace, `event-${index}`);
      const found = await ask<Stored>(reader, { path: eventsPath(namespace, `event-${index}`) });
      expect(Number(found.metadata.resourceVersion)).toBe(revision);
      const { items, metadata } = await ask<{ metadata: { resourceVersion: string }; items: Stored[] }>(reader, {
        path: eventsPath(namespace),
      });
      expect(items).toHaveLength(index + 1);
      expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(revision);
    }
    one.close();
    other.close();
  });

  it('a watch through one worker delivers the writes through another one, in order', async () => {
    const [one, other] = await clientsOfBothWorkers(server);
    const namespace = 'watched';
    const begin = await create(one, namespace, 'begin');
    // The writes go through both workers, so that one of them is not that of the watch, whichever the kernel chooses.
    const watches = ['1', '2', '3', '4'].map((name) =>
      recordWatch({ name: `watch ${name}`, servers: [server], namespace, after: begin }),
    );
    const revisions: number[] = [];
    for (let index = 0; index < 40; index++) {
      revisions.push(await create(index % 2 === 0 ? one : other, namespace, `event-${index}`));
    }
    for (const watch of watches) {
      await watch.reaches(revisions.at(-1) ?? 0);
      expect(watch.seen.map(({ revision }) => revision)).toEqual(revisions);
      expect([watch.wrong, watch.resumed()]).toEqual([[], 0]);
      await watch.stop();
    }
    one.close();
    other.close();
  });

  it('all clients see one order of all calls, whichever worker responds', { timeout }, async () => {
    // The kernel may hand all connections of a burst to one worker.
    const clients = await clientsOfWorkers(server, 4);
    let asked = 0;
    const inTurn: HttpClient = {
      ask: (to, what) => (clients[asked++ % clients.length] as HttpClient).ask(to, what),
      close: () => clients.forEach((client) => client.close()),
    };
    const before = await requestsOf(server);
    const load = { writes: 300, loadMs: seconds * 500, http: inTurn };
    const result = await runRound({ servers: [server, server], namespace: 'order', seed, ...load });
    inTurn.close();
    print(`${resultLine('none-workers', engine, seed, result)} ambiguous=${result.ambiguous}`);
    expect(result.wrong).toEqual([]);
    const after = await requestsOf(server);
    for (const worker of [1, 2]) expect((after.get(worker) ?? 0) - (before.get(worker) ?? 0)).toBeGreaterThan(50);
  });

  it('nothing is lost, and watches continue, when workers are killed under load', { timeout }, async () => {
    for (let round = 0; round < settings.rounds; round++) {
      const result = await runRound({
        servers: [server, server],
        namespace: `killed-${round}`,
        seed: seed + round,
        loadMs: seconds * 500,
        async fault({ moreAcknowledged, healing }) {
          // All of them, so that every watch is cut at least once.
          for (const worker of await workers()) {
            await killWorker(worker);
            await moreAcknowledged(30);
          }
          healing();
        },
      });
      print(resultLine('kill-worker', engine, seed + round, result));
      expect(result.wrong, [...result.wrong, server.log().slice(-1500)].join('\n')).toEqual([]);
      expect(result.resumed).toBeGreaterThanOrEqual(2);
      expect(await workers()).toHaveLength(2);
    }
  });

  it('SIGTERM under load loses no request that was accepted', { timeout }, async () => {
    const namespace = 'ended';
    const acknowledged: string[] = [];
    const wrong: string[] = [];
    let refused = 0;
    const clients = Array.from({ length: 12 }, async (_, client) => {
      for (let index = 0; ; index++) {
        const name = `event-${client}-${index}`;
        const response = await http.ask(server, {
          method: 'POST',
          path: eventsPath(namespace),
          body: newEvent(namespace, name, name),
        });
        // The server has stopped listening.
        if (isLost(response) && response.lost === 'refused') return;
        if (!isLost(response) && response.status === 503) refused += 1;
        else if (isLost(response)) wrong.push(`${name}: ${response.lost} (${response.reason})`);
        else if (response.status === 201) acknowledged.push(name);
        else wrong.push(`${name}: ${response.status} ${response.text}`);
        await pause(2);
      }
    });
    await until('there is load', () => acknowledged.length > 300, 60_000);
    const code = await server.terminate();
    await Promise.all(clients);
    expect(code).toBe(0);
    print(`workers SIGTERM ${engine} acknowledged=${acknowledged.length} refused=${refused} wrong=${wrong.length}`);
    expect(wrong).toEqual([]);
    await server.start();
    const { items } = await ask<{ items: Stored[] }>(http, { path: eventsPath(namespace) });
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(acknowledged.sort());
  });
});

/** The request count of each worker, from `/metrics`. */
async function requestsOf(server: Server): Promise<Map<number, number>> {
  const http = createHttpClient();
  const response = await http.ask(server, { path: '/metrics' });
  http.close();
  if (isLost(response)) throw new Error(response.reason);
  const counts = new Map<number, number>();
  for (const [, labels = '', value] of response.text.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)) {
    const worker = Number(/worker="(\d+)"/.exec(labels)?.[1]);
    counts.set(worker, (counts.get(worker) ?? 0) + Number(value));
  }
  return counts;
}

/** As many clients for each worker, with one connection each; the metrics show which worker serves it. */
async function clientsOfWorkers(server: Server, each: number): Promise<HttpClient[]> {
  const found = new Map<number, HttpClient[]>([
    [1, []],
    [2, []],
  ]);
  const missing = (): boolean => [...found.values()].some((clients) => clients.length < each);
  for (let tries = 0; missing(); tries++) {
    if (tries === 100) throw new Error('nearly all connections were handed to one worker');
    const client = createHttpClient({ connections: 1 });
    const before = await requestsOf(server);
    for (let index = 0; index < 10; index++) await client.ask(server, { path: eventsPath('none') });
    const after = await requestsOf(server);
    const worker = [1, 2].find((number) => (after.get(number) ?? 0) - (before.get(number) ?? 0) >= 10);
    const clients = found.get(worker ?? NaN);
    if (clients === undefined || clients.length === each) client.close();
    else clients.push(client);
  }
  // In turn: one worker, the other one.
  return [...found.values()].flat().map((_, index, all) => all[(index % 2) * each + (index >> 1)] as HttpClient);
}

/** A client for each worker, with one connection. */
async function clientsOfBothWorkers(server: Server): Promise<[HttpClient, HttpClient]> {
  return (await clientsOfWorkers(server, 1)) as [HttpClient, HttpClient];
}
