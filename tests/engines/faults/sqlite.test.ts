import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server } from '../support/standalone.js';
import { faultTest } from './fault.js';
import { canLimitFiles, limitFiles } from './limits.js';
import { killServer } from './shared-faults.js';

const started: Server[] = [];
const create = async (name: string): Promise<Server> => {
  const server = await createServer({ name, store: (dataDir) => `sqlite:${join(dataDir, 'events.db')}` });
  started.push(server);
  return server;
};
afterAll(async () => {
  for (const server of started) await server.remove();
});

describe('SQLite', () => {
  let server: Server;
  const servers = (): readonly Server[] => [server];
  beforeAll(async () => {
    server = await create('the server');
    await server.start();
  });

  faultTest(
    'sqlite',
    servers,
    killServer(() => server),
  );
  faultTest('sqlite', servers, {
    name: 'stop-server',
    async happens({ healing }) {
      expect(await server.terminate()).toBe(0);
      healing();
      await server.start();
    },
  });

  describe.runIf(canLimitFiles())('with a limit', () => {
    faultTest('sqlite', servers, {
      name: 'disk-full',
      ballast: 20_000,
      async happens({ moreFailures, healing }) {
        const file = join(server.dataDir, 'events.db');
        const sizes = await Promise.all(
          [file, `${file}-wal`].map((path) =>
            stat(path).then(
              ({ size }) => size,
              () => 0,
            ),
          ),
        );
        limitFiles([server.pid ?? 0], Math.max(...sizes) + 200_000);
        await moreFailures(20);
        healing();
        limitFiles([server.pid ?? 0], 'unlimited');
      },
      after: async () => {
        if (server.pid !== undefined) limitFiles([server.pid], 'unlimited');
      },
    });
  });
});

describe('a damaged SQLite file', () => {
  const sha = async (path: string): Promise<string> =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  const damages: Record<string, (bytes: Buffer) => Buffer> = {
    'cut in the middle': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2) + 100),
    'with another beginning': (bytes) =>
      Buffer.concat([Buffer.from('this is no database at all.'), bytes.subarray(27)]),
    'of something else': () => Buffer.from('the shopping list\n'.repeat(1000)),
  };
  let server: Server;
  let file: string;
  let whole: Buffer;
  beforeAll(async () => {
    server = await create('the server');
    file = join(server.dataDir, 'events.db');
    await server.start();
    expect(await server.terminate()).toBe(0);
    whole = await readFile(file);
    await Promise.all(['-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
  });

  for (const [what, damage] of Object.entries(damages)) {
    it(`is refused by name and left unchanged: ${what}`, async () => {
      await writeFile(file, damage(whole));
      const before = await sha(file);
      const error = await server.start().then(
        () => undefined,
        (reason: unknown) => String(reason),
      );
      expect(error).toMatch(/ended with 1 before it was ready/);
      expect(error).toContain(file);
      expect(await sha(file)).toBe(before);
    });
  }

  it('is accepted again after it was restored', async () => {
    await writeFile(file, whole);
    await server.start();
  });
});
