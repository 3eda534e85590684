import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPostgres } from '../postgres/installed.js';
import { startPostgres, type PostgresServer } from '../postgres/server.js';
import { eventsPath, newEvent } from '../support/event-api.js';
import { childrenOf, ownProcess } from '../support/processes.js';
import { until, within } from '../support/waiting.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const START_MS = 60_000;

/** The worker processes: children of the service other than the TypeScript loader. */
async function workersOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for (const child of await childrenOf(pid)) {
    const words = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    if (words.includes('examples/workers/main.ts')) found.push(child);
  }
  return found;
}

describeWithPostgres('the example of a service with several processes', () => {
  let database: PostgresServer;
  beforeAll(async () => {
    database = await startPostgres();
  });
  afterAll(() => database.remove());

  it('shows writes whichever process responds, restarts a killed one, and ends on SIGTERM', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'examples/workers/main.ts'], {
      cwd: root,
      env: { ...process.env, PORT: '0', WORKERS: '2', DATABASE_URL: database.url() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ownProcess(child);
    const { pid = NaN } = child;
    // Not 'close': the TypeScript loader may keep the output open.
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    await until('it serves', () => output.includes('curl '), START_MS);
    const url = /http:\/\/[\d.:]+/.exec(output)?.[0] ?? '';
    const authorization = 'Bearer s3cret-of-the-examples';
    // Each request opens a connection.
    const headers = { authorization, connection: 'close', 'content-type': 'application/json' };
    const create = async (name: string): Promise<number> => {
      const body = JSON.stringify(newEvent('shop', name, name));
      return (await fetch(`${url}${eventsPath('shop')}`, { method: 'POST', headers, body })).status;
    };
    const count = async (): Promise<number> => {
      const list = (await (await fetch(`${url}${eventsPath('shop')}`, { headers })).json()) as { items: unknown[] };
      return list.items.length;
    };
    for (let index = 0; index < 20; index++) {
      expect(await create(`event-${index}`)).toBe(201);
      expect(await count()).toBe(index + 1);
    }
    await until('both processes are there', async () => (await workersOf(pid)).length === 2, START_MS);
    const [first = NaN] = await workersOf(pid);
    process.kill(first, 'SIGKILL');
    await until('its end is told', () => output.includes(`worker ${first} ended (SIGKILL) and is started again`));
    await until('another one has been started', async () => (await workersOf(pid)).length === 2, START_MS);
    await until('it serves', async () => (await fetch(`${url}/readyz`, { headers })).status === 200);
    expect(await create('after')).toBe(201);
    expect(await count()).toBe(21);
    child.kill('SIGTERM');
    expect(await within(START_MS, 'the end', ended)).toBe(0);
    expect(await workersOf(pid)).toEqual([]);
  });
});
