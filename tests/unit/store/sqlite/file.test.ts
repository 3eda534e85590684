import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SyncStore } from '../../../../src/store/sqlite/sync-store.js';
import { createBench, failureOf, names, outcomes, put, query, remove, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();

function writeFile(path: string, content: Uint8Array | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A file with some events in it, closed. */
function filled(path: string): string {
  const store = open(path);
  for (let i = 0; i < 40; i++) store.write([put(`event-${i}`, { size: 2000 })], START);
  store.close();
  return path;
}

describe('the file', () => {
  test('and its folder are accessible to this user only', () => {
    const path = newPath();
    open(path).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test('has the schema that belongs to its version, so that no other version opens it', () => {
    const path = newPath();
    open(path).close();
    const connection = driver.open(path);
    const { user_version: version } = connection.prepare('PRAGMA user_version').get() ?? {};
    const objects = connection.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name').all();
    connection.close();
    const hash = createHash('sha256')
      .update(objects.map(({ sql }) => String(sql)).join(';'))
      .digest('hex');
    // After a change: raise VERSION and put the new pair here.
    expect([Number(version), hash.slice(0, 16)]).toEqual([4, 'f23fab64d068bdc6']);
  });

  test('is opened by one store at a time, and by the next when that is closed', () => {
    const path = newPath();
    const first = open(path);
    first.write([put('a')], START);
    expect(failureOf(() => open(path))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`${path} is in use by another store`) as string,
    });
    expect(failureOf(() => open(path)).code).toBe('unavailable');
    first.write([put('b')], START);
    first.close();
    const second = open(path);
    expect(names(second.list(query()))).toEqual(['a', 'b']);
    second.close();
  });

  test('has one lock, one mark and one log, also where it is opened by a symbolic link', () => {
    const path = newPath();
    open(path).close();
    const link = newPath();
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(path, link);
    const store = open(link);
    store.write([put('a')], START);
    expect(failureOf(() => open(path)).message).toContain('is in use by another store');
    expect(existsSync(`${path}-wal`)).toBe(true);
    for (const suffix of ['-wal', '-lock', '-mark', '-reserve']) expect(existsSync(link + suffix)).toBe(false);
    store.close();
    const again = open(path);
    expect(again.changes(START).length).toBeGreaterThan(0);
    again.close();
  });

  test('is not made where a symbolic link leads to a file that does not exist', () => {
    const path = newPath();
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(`${path}-elsewhere`, path);
    expect(failureOf(() => open(path)).message).toContain('is a symbolic link to a file that does not exist');
    expect([existsSync(path), existsSync(`${path}-elsewhere`)]).toEqual([false, false]);
  });

  test('can be read by other programs while it is open', () => {
    const path = newPath();
    const store = open(path);
    store.write([put('a')], START);
    const other = driver.open(path);
    expect(other.prepare('SELECT count(*) AS n FROM versions').get()?.['n']).toBe(1);
    expect(outcomes(store.write([put('b')], START))).toEqual([START + 2]);
    other.close();
    store.close();
  });
});

describe('a file is refused and left unchanged if', () => {
  const refused = (path: string, message: RegExp): void => {
    const before = readFileSync(path);
    const error = failureOf(() => open(path));
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain(path);
    expect(error.message).toMatch(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  };

  test('it is not a database', () => {
    const path = newPath();
    writeFile(path, 'a diary, which nobody wants to lose '.repeat(50));
    refused(path, /not an SQLite database/);
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  test('it is a database of another program', () => {
    const path = newPath();
    mkdirSync(dirname(path), { recursive: true });
    const other = driver.open(path);
    other.exec('CREATE TABLE accounts (id INTEGER)');
    other.close();
    refused(path, /another program/);
  });

  test.each([1, 3, 5])('it has version %i of the schema, which is newer or was never released', (version) => {
    const path = filled(newPath());
    const other = driver.open(path);
    other.exec(`PRAGMA user_version = ${version}`);
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    refused(
      path,
      new RegExp(`its schema has version ${version}, this version of kube-vitals supports 4: use the version`),
    );
  });

  test('it was truncated', () => {
    const path = filled(newPath());
    truncateSync(path, 50_000);
    refused(path, /was cut off/);
  });

  test('its beginning is damaged', () => {
    const path = filled(newPath());
    const content = readFileSync(path);
    content.fill(0, 0, 4096);
    writeFileSync(path, content);
    refused(path, /beginning is damaged/);
  });

  test('it is missing while its log exists', () => {
    const path = filled(newPath());
    unlinkSync(path);
    writeFileSync(`${path}-wal`, 'what was written last');
    expect(failureOf(() => open(path)).message).toMatch(/missing or empty, but its log/);
    expect(existsSync(path)).toBe(false);
  });

  test('it is an empty file', () => {
    const path = newPath();
    writeFile(path, '');
    refused(path, /it is empty: restore it from a copy, or remove it/);
  });

  test('it has damaged pages, when it is checked', () => {
    const path = filled(newPath());
    const content = readFileSync(path);
    content.fill(0xa5, 20_000);
    writeFileSync(path, content);
    expect(failureOf(() => open(path, { checkOnOpen: true })).message).toMatch(/is damaged/);
  });

  test('it cannot be opened, and its lock is released', () => {
    const path = newPath();
    writeFile(path, 'a diary '.repeat(50));
    failureOf(() => open(path));
    unlinkSync(path);
    open(path).close();
  });
});

test('damage found later fails the operation that finds it, and stops writes', () => {
  const path = filled(newPath());
  const content = readFileSync(path);
  content.fill(0xa5, 8192);
  writeFileSync(path, content);
  const store = open(path);
  const error = failureOf(() => store.list(query()));
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining(path) as string });
  expect(error.message).toMatch(/is damaged: restore it/);
  expect(outcomes(store.write([put('a')], START))).toEqual(['unavailable']);
  expect(failureOf(() => store.ping()).message).toMatch(/is damaged/);
  store.close();
});

describe('a full disk', () => {
  /** Fills the file, and returns what is in it. */
  function fill(store: SyncStore): string[] {
    const stored: string[] = [];
    for (let i = 0; i < 1000; i++) {
      const [outcome] = outcomes(store.write([put(`event-${String(i).padStart(4, '0')}`, { size: 8000 })], START));
      if (outcome === 'unavailable') return stored;
      stored.push(`event-${String(i).padStart(4, '0')}`);
    }
    throw new Error('the file has no end');
  }

  test('refuses writes that do not fit, and changes nothing', () => {
    const store = open(newPath(), { maxFileBytes: 1_048_576 });
    const stored = fill(store);
    expect(stored.length).toBeGreaterThan(50);
    const before = store.revision();
    const [error] = store.write([put('one-more', { size: 8000 })], START);
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('no space left') as string });
    expect(store.revision()).toBe(before);
    expect(names(store.list(query({ limit: 1000 })))).toEqual(stored);
    expect(failureOf(() => store.ping()).message).toMatch(/no space left/);
    store.close();
  });

  test('accepts small writes of a batch in which a large one fails', () => {
    const store = open(newPath(), { maxFileBytes: 1_048_576 });
    store.write([put('a')], START);
    const results = store.write([put('b'), put('large', { size: 2_000_000 }), remove('a')], START);
    expect(outcomes(results)).toEqual([START + 2, 'unavailable', START + 3]);
    expect(names(store.list(query()))).toEqual(['b']);
    store.close();
  });

  test('still allows removals and expiry, and recovers when history is dropped', () => {
    const store = open(newPath(), { maxFileBytes: 1_048_576 });
    const stored = fill(store);
    expect(outcomes(store.write([remove(stored[0] as string)], START))[0]).toBeTypeOf('number');
    const due = START + 3_600_000_000;
    for (let left = stored.length - 1; left > 0;) {
      const [count] = outcomes(store.write([{ kind: 'expire', dueAt: due, limit: 500 }], due));
      expect(count).toBeGreaterThan(0);
      left -= count as number;
    }
    for (let i = 0; i < 10; i++) store.write([{ kind: 'prune', limit: 100 }], due + 600_000_000);
    expect(store.nextDue()).toBeUndefined();
    expect(outcomes(store.write([put('again', { size: 8000 })], due))[0]).toBeTypeOf('number');
    store.ping();
    store.close();
  });
});

test('keys keep their bytes, including NUL', () => {
  const store = open(newPath());
  store.write([put('a\u0000b'), put('ž😀')], START);
  expect(store.get('default/a\u0000b')?.key).toBe('default/a\u0000b');
  expect(store.get('default/a')).toBeUndefined();
  expect(names(store.list(query()))).toEqual(['a\u0000b', 'ž😀']);
  store.close();
});
