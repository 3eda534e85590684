import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentEngines, startDatabase, type Database } from '../support/databases.js';
import { eventsPath, newEvent, type Stored } from '../support/event-api.js';
import { createHttpClient, isLost, type Ask } from '../support/http-client.js';
import { walkPages } from '../support/pages.js';
import { resultLine, runRound } from '../support/round.js';
import { print, readSettings, testTimeoutMs } from '../support/settings.js';
import { createServer, type Server } from '../support/standalone.js';
import { until } from '../support/waiting.js';
import { recordWatch, type WatchRecorder } from '../support/watch-recorder.js';

const settings = readSettings();
const { seed, seconds } = settings;
const timeout = testTimeoutMs({ ...settings, rounds: 1 });

describe.each(presentEngines())('three servers over one %s', (engine) => {
  const http = createHttpClient();
  const watches: WatchRecorder[] = [];
  const servers: Server[] = [];
  let database: Database;
  const start = async (name: string, ...flags: string[]): Promise<Server> => {
    const server = await createServer({ name, store: database.store, flags });
    servers.push(server);
    await server.start();
    return server;
  };
  beforeAll(async () => {
    database = await startDatabase(engine);
    for (const name of ['server 1', 'server 2', 'server 3']) await start(name);
  });
  afterAll(async () => {
    for (const watch of watches) await watch.stop();
    http.close();
    for (const server of servers) await server.remove();
    await database.remove();
  });
  const three = (): [Server, Server, Server] => servers.slice(0, 3) as [Server, Server, Server];

  const ask = async <T>(server: Server, what: Ask): Promise<T> => {
    const response = await http.ask(server, what);
    if (isLost(response) || response.status > 201) throw new Error(isLost(response) ? response.reason : response.text);
    return JSON.parse(response.text) as T;
  };
  const create = async (server: Server, namespace: string, name: string): Promise<number> => {
    const body = newEvent(namespace, name, `${namespace}.${name}`);
    const stored = await ask<Stored>(server, { method: 'POST', path: eventsPath(namespace), body });
    return Number(stored.metadata.resourceVersion);
  };
  const watch = (name: string, server: Server, namespace: string, after: number): WatchRecorder => {
    const recorder = recordWatch({ name, servers: [server], namespace, after });
    watches.push(recorder);
    return recorder;
  };

  it('show the same state to all clients', { timeout }, async () => {
    const options = { servers: three(), namespace: 'same', seed, writes: 150, loadMs: seconds * 500 };
    const result = await runRound(options);
    print(resultLine('none-three-servers', engine, seed, result));
    expect(result.wrong).toEqual([]);
  });

  it("continue each other's pages with the state of the first page", async () => {
    const namespace = 'pages';
    const [one, two, other] = three();
    for (let index = 0; index < 60; index++) await create(one, namespace, `event-${String(index).padStart(3, '0')}`);
    let changes = 0;
    const between = async (): Promise<void> => {
      // One change before the position of the walk, one after it.
      await create(other, namespace, `event-000-${++changes}`);
      await ask(one, {
        method: 'DELETE',
        path: eventsPath(namespace, `event-${String(59 - changes).padStart(3, '0')}`),
      });
    };
    const walk = await walkPages(http, [one, two, other], namespace, { limit: 10, between });
    expect(walk).toMatchObject({ wrong: [], pages: 6 });
    expect(changes).toBe(5);
    expect([...walk.items.keys()]).toEqual(
      Array.from({ length: 60 }, (_, index) => `event-${String(index).padStart(3, '0')}`),
    );
    const exact = `${eventsPath(namespace)}?resourceVersion=${walk.revision}&resourceVersionMatch=Exact`;
    const { items } = await ask<{ items: Stored[] }>(two, { path: exact });
    expect(items.map((item) => JSON.stringify(item))).toEqual([...walk.items.values()]);
  });

  it("deliver each other's writes, and resume where another one ended", async () => {
    const namespace = 'watches';
    const [one, two, other] = three();
    const begin = await create(one, namespace, 'begin');
    const first = watch('the first watch', one, namespace, begin);
    const revisions: number[] = [];
    for (let index = 0; index < 20; index++) {
      revisions.push(await create(index % 2 === 0 ? two : other, namespace, `event-${index}`));
    }
    const half = revisions[9] ?? 0;
    await first.reaches(revisions.at(-1) ?? 0);
    const second = watch('the second watch', two, namespace, half);
    await second.reaches(revisions.at(-1) ?? 0);
    expect(first.seen.map((seen) => seen.revision)).toEqual(revisions);
    expect(second.seen.map((seen) => seen.text)).toEqual(first.seen.slice(10).map((seen) => seen.text));
    expect([...first.wrong, ...second.wrong]).toEqual([]);
  });

  it('show in a list the last write through another replica', async () => {
    const namespace = 'fresh';
    const [one, two, other] = three();
    for (let index = 0; index < 30; index++) {
      const revision = await create(index % 2 === 0 ? one : two, namespace, `event-${index}`);
      const list = await ask<{ metadata: { resourceVersion: string }; items: Stored[] }>(other, {
        path: eventsPath(namespace),
      });
      expect(list.items).toHaveLength(index + 1);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(revision);
    }
  });

  it('deliver every write to watches at both, with a delay that is printed', async () => {
    const namespace = 'latency';
    const [one, two] = three();
    const begin = await create(one, namespace, 'begin');
    const same = watch('the near watch', one, namespace, begin);
    const other = watch('the far watch', two, namespace, begin);
    const acknowledged = new Map<number, number>();
    let last = begin;
    for (let index = 0; index < 100; index++) {
      last = await create(one, namespace, `event-${index}`);
      acknowledged.set(last, performance.now());
    }
    await Promise.all([same.reaches(last), other.reaches(last)]);
    for (const recorder of [same, other]) {
      const delays = recorder.seen.map(({ revision, at }) => at - (acknowledged.get(revision) ?? NaN));
      expect(delays).toHaveLength(100);
      const sorted = delays.sort((a, b) => a - b).map((ms) => ms.toFixed(2));
      const where = recorder === same ? 'same server' : 'other server';
      print(`latency ${engine} acknowledgement to frame, ${where}: p50=${sorted[50]}ms p99=${sorted[98]}ms`);
    }
  });

  it('deliver an expiry once, whichever replica did it', async () => {
    const namespace = 'expiry';
    const [one, two, other] = three();
    const brief = await start('server 4', '--event-ttl', '2s');
    const begin = await create(one, namespace, 'stays');
    const all = [one, two, other, brief].map((server) =>
      watch(`the watch of ${server.name}`, server, namespace, begin),
    );
    const names = Array.from({ length: 40 }, (_, index) => `goes-${index}`);
    for (const name of names) await create(brief, namespace, name);
    await until('everybody has seen all expiries', () => all.every(({ seen }) => deleted(seen).length >= names.length));
    // A second deletion of the same event would come before this.
    const end = await create(one, namespace, 'end');
    for (const recorder of all) {
      await recorder.reaches(end);
      expect(deleted(recorder.seen).sort()).toEqual([...names].sort());
      expect(recorder.seen.map((seen) => seen.text)).toEqual(all[0]?.seen.map((seen) => seen.text));
      expect(recorder.wrong).toEqual([]);
    }
    const { items } = await ask<{ items: Stored[] }>(two, { path: eventsPath(namespace) });
    expect(items.map((item) => item.metadata.name)).toEqual(['end', 'stays']);
  });

  it('start again on their data directory, in which they keep no revision counter', { timeout }, async () => {
    const [server] = three();
    expect(await server.terminate()).toBe(0);
    await server.start();
    await expect(access(join(server.dataDir, 'revisions'))).rejects.toThrow('ENOENT');
    // A file that an earlier version left, whose revisions came from the clock.
    await writeFile(join(server.dataDir, 'revisions'), '1763800000000000\n');
    expect(await server.terminate()).toBe(0);
    await server.start();
    await create(server, 'again', 'after-the-restart');
  });
});

function deleted(seen: WatchRecorder['seen']): string[] {
  return seen.filter(({ type }) => type === 'DELETED').map(({ key }) => key);
}
