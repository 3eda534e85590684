import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defaultStore } from '../../../../src/cli/stores/open-store.js';

async function newDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'default-store-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

const noDriver = async (): Promise<never> => {
  throw new Error('no SQLite driver can be used: run "npm install libsql"');
};

it('events are kept in a file if there is a driver for SQLite', async () => {
  const dir = await newDirectory();
  const path = join(dir, 'events.db');
  expect(await defaultStore(dir, async () => undefined)).toEqual({ choice: { kind: 'sqlite', path, shown: path } });
});

it('the drivers that are looked for are those that the store uses', async () => {
  expect((await defaultStore(await newDirectory())).choice.kind).toBe('sqlite');
});

it('the path of the file is absolute, so that no directory makes it a URL', async () => {
  const { choice } = await defaultStore('file:events', async () => undefined);
  expect(choice).toMatchObject({ path: resolve('file:events/events.db') });
});

it('events are kept in memory if there is no driver, and the server prints how to keep them', async () => {
  const found = await defaultStore(await newDirectory(), noDriver);
  expect(found.choice).toEqual({ kind: 'memory', shown: 'memory' });
  expect(found.keepAdvice).toMatch(/Node 22\.13.*npm install kube-vitals libsql/);
});

it('an existing file of an earlier start is never ignored', async () => {
  const dir = await newDirectory();
  await writeFile(join(dir, 'events.db'), '');
  await expect(defaultStore(dir, noDriver)).rejects.toThrow(
    /^--store: .*events\.db contains the events of an earlier start, and no SQLite driver.*npm install libsql.*--store=memory/,
  );
});
