import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EventStore } from 'kube-vitals';
import { sqliteStore } from 'kube-vitals/sqlite';
import { sampleEvent } from 'kube-vitals/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { examine, startWriter, type Findings } from './ledger.js';

const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-faults-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `${++files}`, 'events.db');

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 2);
const nothingLost = { lost: 0, wrong: 0, duplicates: 0, missingInFeed: 0 };
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const report = (what: string, numbers: object): void => {
  process.stdout.write(`sqlite: ${what}: ${JSON.stringify(numbers)}\n`);
};

/** Pings until the store works again; returns how long that took, in milliseconds. */
async function recovery(store: EventStore): Promise<number> {
  const start = performance.now();
  for (;;) {
    try {
      await store.ping();
      return Math.round(performance.now() - start);
    } catch (error) {
      if (performance.now() - start > 30_000) throw error;
      await wait(20);
    }
  }
}

const hasPrlimit = ((): boolean => {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test(
  `acknowledged writes survive kill -9 in ${rounds} rounds on one file`,
  { timeout: 20_000 + rounds * 20_000 },
  async () => {
    const path = newPath();
    const total: Findings & { recoveryMs: number[] } = { acknowledged: 0, ...nothingLost, recoveryMs: [] };
    let before = 0;
    for (let round = 0; round < rounds; round++) {
      const writer = startWriter([path, 'write', String([1, 16, 64][round % 3]), String(round)]);
      await writer.said('open');
      const from = Number(writer.ledger.words.get('open'));
      expect(from).toBeGreaterThan(before);
      await wait(200 + ((round * 373) % 700));
      await writer.kill();
      const store = sqliteStore({ path });
      total.recoveryMs.push(await recovery(store));
      const findings = await examine(store, writer.ledger, from);
      for (const key of ['acknowledged', 'lost', 'wrong', 'duplicates', 'missingInFeed'] as const)
        total[key] += findings[key];
      const written = await store.create({ namespace: 'after', name: `round-${round}` }, sampleEvent(), {
        expiresAt: Date.now() * 1000 + 3_600_000_000,
      });
      expect(written.revision).toBeGreaterThan(Math.max(from, ...writer.ledger.revisions));
      before = written.revision;
      await store.close();
    }
    report('kill -9', total);
    expect(total).toMatchObject(nothingLost);
    expect(total.acknowledged).toBeGreaterThan(0);
  },
);

test('a second process is refused while the first runs, and accepted after its kill -9', async () => {
  const path = newPath();
  const holder = startWriter([path, 'hold', '0', '0']);
  await holder.said('open');
  const store = sqliteStore({ path });
  await expect(store.ping()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${path} is in use by another store`) as string,
  });
  await holder.kill();
  report('admitted after kill -9', { recoveryMs: await recovery(store) });
  await store.close();
});

describe('a store whose user', () => {
  // Root may write everything.
  const user = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const written = async (): Promise<string> => {
    const path = newPath();
    chmodSync(folder, 0o711);
    mkdirSync(dirname(path));
    chmodSync(dirname(path), 0o777);
    const writer = startWriter([path, 'hold', '0', '0'], user);
    await writer.said('open');
    await writer.kill();
    return path;
  };

  test.each(['', '-lock'])('may not write events.db%s is refused, and opened once it may', async (suffix) => {
    const path = await written();
    chmodSync(path + suffix, 0o400);
    const writer = startWriter([path, 'wait', '0', '0'], user);
    await writer.said('refused');
    expect(writer.ledger.words.get('refused')).toContain(`${path} cannot be opened: EACCES: permission denied`);
    chmodSync(path + suffix, 0o600);
    await writer.said('open');
    await writer.kill();
  });
});

test('when the worker thread ends, outcomes of writes are resolved, reads fail once, and the store continues', async () => {
  const workers = new Set<Worker>();
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, ...args) {
    workers.add(this);
    Reflect.apply(post, this, args);
  };
  const store = sqliteStore({ path: newPath() });
  try {
    const before = await store.revision();
    const write = (i: number): Promise<{ revision: number }> =>
      store.create({ namespace: 'default', name: `event-${i}` }, sampleEvent({ name: `event-${i}` }), {
        expiresAt: Date.now() * 1000 + 3_600_000_000,
      });
    const writes = Array.from({ length: 200 }, (_, i) => write(i));
    await Promise.race(writes);
    const more = Array.from({ length: 200 }, (_, i) => write(200 + i));
    await wait(1);
    // An unknown message ends the thread with an error. `terminate` would end it inside of the driver's native code,
    // which now and then crashes the whole process (libsql).
    for (const worker of workers) Reflect.apply(post, worker, [null]);
    const results = await Promise.allSettled([...writes, ...more]);
    const failed = results.filter((result) => result.status === 'rejected');
    await recovery(store);
    const { records } = await store.list({ limit: 1000 });
    const acknowledged = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.revision] : []));
    const stored = new Set(records.map(({ revision }) => revision));
    const lost = acknowledged.filter((revision) => !stored.has(revision)).length;
    const duplicates = acknowledged.length - new Set(acknowledged).size;
    report('thread ended', { acknowledged: acknowledged.length, failed: failed.length, lost, duplicates });
    expect({ lost, duplicates }).toEqual({ lost: 0, duplicates: 0 });
    expect(Math.min(...acknowledged)).toBeGreaterThan(before);
  } finally {
    Worker.prototype.postMessage = post;
    await store.close();
  }
});

describe('a full disk', () => {
  test('refuses writes, still serves reads, and loses nothing', async () => {
    if (!hasPrlimit) {
      process.stdout.write('sqlite: prlimit is not here: the test of a full disk is left out\n');
      expect(process.env['CI']).not.toBe('true');
      return;
    }
    const path = newPath();
    const writer = startWriter([path, 'until-full', '8', '0'], ['prlimit', '--fsize=3000000']);
    await writer.ended;
    const { ledger } = writer;
    expect(ledger.failures.length).toBeGreaterThan(0);
    expect(ledger.failures.filter((text) => !text.startsWith('unavailable '))).toEqual([]);
    expect(Number(ledger.words.get('read'))).toBeGreaterThan(100);
    const store = sqliteStore({ path });
    const recoveryMs = await recovery(store);
    const findings = await examine(store, ledger, Number(ledger.words.get('open')));
    const { ping, removed } = Object.fromEntries(ledger.words);
    report('disk full', { ...findings, recoveryMs, pingWhileFull: ping, removedWhileFull: Number(removed) });
    expect(findings).toMatchObject(nothingLost);
    await store.close();
  });
});

test('a truncated file is refused, named, and left unchanged', async () => {
  const path = newPath();
  const store = sqliteStore({ path });
  for (let i = 0; i < 50; i++) {
    const name = `event-${i}`;
    const event = sampleEvent({ name, note: 'x'.repeat(2000) });
    await store.create({ namespace: 'default', name }, event, { expiresAt: Date.now() * 1000 + 3_600_000_000 });
  }
  await store.close();
  truncateSync(path, Math.floor(statSync(path).size / 2));
  const before = readFileSync(path);
  const again = sqliteStore({ path });
  for (const call of [() => again.ping(), () => again.revision(), () => again.list({ limit: 1 })]) {
    await expect(call()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`${path} cannot be opened`) as string,
    });
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  await again.close();
});
