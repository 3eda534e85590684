import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentEngines, startDatabase, type Database } from '../support/databases.js';
import { print, readSettings, testTimeoutMs } from '../support/settings.js';
import { resultLine, runRound } from '../support/round.js';
import { createServer, type Server } from '../support/standalone.js';

const settings = readSettings();
const timeout = testTimeoutMs(settings);
const UNCACHED = '--watch-cache=false';

/** Runs concurrent clients over HTTP without a fault: one order of all calls must explain what they saw. */
async function linearizable(engine: string, servers: readonly Server[]): Promise<void> {
  for (let round = 0; round < settings.rounds; round++) {
    const seed = settings.seed + round;
    const load = { writes: 300, loadMs: settings.seconds * 500 };
    const result = await runRound({ servers, namespace: `${engine}-${round}`, seed, ...load });
    print(`${resultLine('none', engine, seed, result)} ambiguous=${result.ambiguous}`);
    expect(result.wrong).toEqual([]);
  }
}

describe('linearizability over HTTP', () => {
  const removals: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const remove of removals.reverse()) await remove();
  });
  const started = async (
    name: string,
    store: string | ((dataDir: string) => string),
    ...flags: readonly string[]
  ): Promise<Server> => {
    const server = await createServer({ name, store, flags });
    removals.push(server.remove);
    await server.start();
    return server;
  };

  it('holds for the memory store', { timeout }, async () => {
    await linearizable('memory', [await started('the server', 'memory')]);
  });

  it('holds for the SQLite store', { timeout }, async () => {
    await linearizable('sqlite', [await started('the server', (dataDir) => `sqlite:${dataDir}/events.db`)]);
  });

  it('holds for the SQLite store without a watch cache', { timeout }, async () => {
    const store = (dataDir: string): string => `sqlite:${dataDir}/events.db`;
    await linearizable('sqlite-uncached', [await started('the server', store, UNCACHED)]);
  });

  describe.each(presentEngines())('two servers over one %s', (engine) => {
    let database: Database;
    beforeAll(async () => {
      database = await startDatabase(engine);
      removals.push(database.remove);
    });

    it.each([
      ['each has its own watch cache', engine, [], []],
      ['one of them has no watch cache', `${engine}-mixed`, [], [UNCACHED]],
    ])('show one order of all calls where %s', { timeout }, async (_, label, first, second) => {
      const servers = [
        await started('server 1', database.store, ...first),
        await started('server 2', database.store, ...second),
      ];
      await linearizable(label, servers);
      for (const server of servers) await server.kill();
    });
  });
});
