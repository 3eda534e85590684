import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventStore } from 'kube-vitals';
import { sqliteStore } from 'kube-vitals/sqlite';
import { sampleEvent } from 'kube-vitals/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presentEngines, startDatabase, type Database } from '../support/databases.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** More than two pages. */
const EVENTS = 1_200;
const LATER = Date.now() * 1_000 + 3_600_000_000;

/** Runs `kube-vitals copy`; resolves with what it wrote, and its exit code. */
function copy(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['dist/cli.js', 'copy', ...words], { cwd: root }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

async function inFile<T>(path: string, work: (store: EventStore) => Promise<T>): Promise<T> {
  const store = sqliteStore({ path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function put(store: EventStore, name: string): Promise<void> {
  const key = { namespace: 'shop', name };
  await store.create(key, sampleEvent({ ...key, uid: `uid-${name}` }), { expiresAt: LATER });
}

async function contents(path: string): Promise<readonly unknown[]> {
  const { records } = await inFile(path, (store) => store.list({ limit: 10_000 }));
  return records.map(({ key, event, expiresAt }) => [key, Buffer.from(event.bytes).toString(), expiresAt]);
}

describe.each(presentEngines())('kube-vitals copy, with %s', (engine) => {
  let database: Database;
  let dir = '';
  const at = (name: string): string => join(dir, name);
  beforeAll(async () => {
    database = await startDatabase(engine);
    dir = await mkdtemp(join(tmpdir(), 'kube-vitals-copy-'));
    await inFile(at('old.db'), async (store) => {
      await Promise.all(Array.from({ length: EVENTS }, (_, i) => put(store, `e-${i}`)));
    });
  });
  afterAll(async () => {
    await database.remove();
    await rm(dir, { recursive: true, force: true });
  });

  it('copies all events from a file and back, with their bytes and expiry times', async () => {
    const there = await copy(`sqlite:${at('old.db')}`, database.store);
    expect(there).toMatchObject({ code: 0, out: expect.stringMatching(/^1200 copied, 0 already there/) });
    expect(there.err).not.toContain('MaxListenersExceededWarning');
    const again = await copy(`sqlite:${at('old.db')}`, database.store);
    expect(again).toMatchObject({ code: 0, out: expect.stringMatching(/^0 copied, 1200 already there/) });
    expect(again.err).toContain('is not empty');
    expect(await copy(database.store, `sqlite:${at('new.db')}`)).toMatchObject({ code: 0 });
    expect(await contents(at('new.db'))).toEqual(await contents(at('old.db')));
  });

  it('refuses to copy a store to itself', async () => {
    const { code, err } = await copy(database.store, database.store);
    expect([code, err]).toEqual([2, expect.stringContaining('FROM and TO are the same store')]);
  });

  // The other engines accept every name that SQLite does.
  if (engine !== 'postgres') return;

  it('does not create a schema of FROM that does not exist', async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const { code, out, err } = await copy(`${database.store}?schema=misspelt`, `sqlite:${at('none.db')}`);
      expect([code, out, err]).toEqual([1, '', 'error: FROM: PostgreSQL: the schema "misspelt" does not exist\n']);
    }
  });

  it('stops at an event whose name it cannot keep, or continues without it', async () => {
    const [name, target] = ['x'.repeat(700), `${database.store}?schema=refusing`];
    await inFile(at('long.db'), async (store) => {
      await put(store, 'a');
      await put(store, name);
    });
    const ended = await copy(`sqlite:${at('long.db')}`, target);
    expect([ended.code, ended.out]).toEqual([1, '']);
    expect(ended.err).toContain(`error: shop/${name}: TO does not accept its name (--skip-refused`);
    const skipped = await copy(`sqlite:${at('long.db')}`, target, '--skip-refused');
    expect([skipped.code, skipped.out]).toEqual([0, expect.stringMatching(/, 1 left out\n$/)]);
    expect(skipped.err).toContain(`left out: shop/${name}: TO does not accept its name\n`);
  });
});
