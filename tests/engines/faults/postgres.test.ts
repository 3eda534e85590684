import { readFile, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { serverUser } from '../postgres/server.js';
import { isPresent, startDatabase, type Database } from '../support/databases.js';
import { createServer, type Server } from '../support/standalone.js';
import { faultTest } from './fault.js';
import { canLimitFiles, limitFiles } from './limits.js';
import { sharedFaults } from './shared-faults.js';

/** A WAL segment: with a smaller limit the server itself could not run. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

describe.runIf(isPresent('postgres'))('PostgreSQL', () => {
  let database: Database;
  const servers: Server[] = [];
  beforeAll(async () => {
    database = await startDatabase('postgres');
    servers.push(await createServer({ name: 'server 1', store: database.store }));
    servers.push(await createServer({ name: 'server 2 (proxy)', store: database.storeByProxy }));
    for (const server of servers) await server.start();
  });
  afterAll(async () => {
    for (const server of servers) await server.remove();
    await database.remove();
  });
  const [direct, byProxy] = [(): Server => servers[0] as Server, (): Server => servers[1] as Server];

  for (const fault of sharedFaults({ database: () => database, direct, byProxy })) {
    faultTest('postgres', () => servers, fault);
  }

  describe.runIf(canLimitFiles())('with a limit', () => {
    const limitAll = async (bytes: number | 'unlimited'): Promise<void> => {
      const { pids } = await database.victims();
      limitFiles(await withChildren(pids), bytes, await serverUser());
    };
    faultTest('postgres', () => servers, {
      name: 'disk-full',
      ballast: 120_000,
      mix: 'create',
      thinkMs: 10,
      writes: 20,
      async happens({ moreFailures, healing }) {
        await limitAll(SEGMENT_BYTES);
        await moreFailures(20);
        healing();
        await limitAll('unlimited');
      },
      after: () => limitAll('unlimited'),
    });
  });
});

async function withChildren(pids: readonly number[]): Promise<number[]> {
  const found = [...pids];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
    if (pids.includes(parent)) found.push(Number(entry));
  }
  return found;
}
