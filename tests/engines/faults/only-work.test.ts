import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { freePort, startPostgres } from '../postgres/server.js';
import { isPresent } from '../support/databases.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('./only-work.mjs', import.meta.url));

/** What the program printed. Node ends it with code 13 if nothing keeps its process alive during the write. */
async function outputOf(...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [PROGRAM, ...args], { timeout: 20_000 })).stdout;
}

describe('a program whose only work is a write', () => {
  test.each(['grpc', 'gateway'])('learns that etcd is away over %s', async (transport) => {
    expect(await outputOf(transport, `http://127.0.0.1:${await freePort()}`)).toMatch(/etcd .* is not available/);
  });

  test.runIf(isPresent('postgres'))('learns that the outcome of a write to PostgreSQL is unknown', async () => {
    const server = await startPostgres();
    try {
      expect(await outputOf('postgres', server.url(), String(server.pid))).toMatch(/^StoreError: PostgreSQL: /);
    } finally {
      await server.remove();
    }
  });
});
