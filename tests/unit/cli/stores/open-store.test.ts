import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pingStore, openStore } from '../../../../src/cli/stores/open-store.js';
import { parseStoreUrl } from '../../../../src/cli/stores/store-url.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';

const made: unknown[] = [];
const engine = vi.hoisted(() => (name: string, seen: unknown[]) => (options: unknown) => {
  seen.push([name, options]);
  return { name };
});
vi.mock('../../../../src/sqlite.js', () => ({ sqliteStore: engine('sqlite', made) }));
vi.mock('../../../../src/postgres.js', () => ({ postgresStore: engine('postgres', made) }));
vi.mock('../../../../src/etcd.js', () => ({ etcdStore: engine('etcd', made) }));

async function optionsOf(url: string): Promise<unknown> {
  made.length = 0;
  await openStore(parseStoreUrl(url), { startAt: 7 });
  return made[0];
}

describe('openStore', () => {
  it('starts a memory store at the given revision', async () => {
    const store = await openStore(parseStoreUrl('memory'), { startAt: 7 });
    expect([store.name, await store.revision()]).toEqual(['memory', 7]);
    await store.close();
  });

  it('creates the chosen engine with the options of the URL', async () => {
    expect(await optionsOf('sqlite:/d/e.db')).toEqual(['sqlite', { path: '/d/e.db', startAt: 7 }]);
    expect(await optionsOf('postgres://h/d')).toEqual(['postgres', { connectionString: 'postgres://h/d' }]);
    expect(await optionsOf('postgres://h/d?schema=s')).toEqual([
      'postgres',
      { connectionString: 'postgres://h/d', schema: 's' },
    ]);
    expect(await optionsOf('etcd://h:1')).toEqual(['etcd', { endpoints: ['http://h:1'] }]);
    expect(await optionsOf('etcd://u:p@h:1/x')).toEqual([
      'etcd',
      { endpoints: ['http://h:1'], prefix: '/x', username: 'u', password: 'p' },
    ]);
  });

  it('signs an etcd user without a password in with an empty one', async () => {
    expect(await optionsOf('etcd://shop@h:1')).toMatchObject(['etcd', { username: 'shop', password: '' }]);
  });

  it.each(['postgres://h/d', 'etcd://h:1'])('passes errors of background work to the observer: %s', async (url) => {
    made.length = 0;
    const observe = (): void => undefined;
    await openStore(parseStoreUrl(url), { observe });
    expect(made[0]).toMatchObject([expect.any(String), { observe }]);
  });

  it('neither creates nor updates the schema of a database where that is not wanted', async () => {
    made.length = 0;
    await openStore(parseStoreUrl('postgres://h/d'), { migrate: false });
    expect(made[0]).toMatchObject(['postgres', { migrate: false }]);
  });

  it('reads certificates, or names the one it cannot read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kube-vitals-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'ca.crt'), 'PEM');
    expect(await optionsOf(`etcds://h:1?ca=${folder}/ca.crt`)).toEqual([
      'etcd',
      { endpoints: ['https://h:1'], tls: { ca: 'PEM' } },
    ]);
    await expect(optionsOf(`etcds://h:1?key=${folder}/nope`)).rejects.toThrow('--store: key cannot be read: ENOENT');
  });
});

describe('pingStore', () => {
  const away = { ...memoryStore(), ping: () => Promise.reject(storeError('unavailable', 'it is locked')) };

  it('succeeds with a store that responds', async () => {
    expect(await pingStore(memoryStore(), parseStoreUrl('memory'), () => undefined)).toBe(true);
  });

  it('fails if a local store does not open', async () => {
    await expect(pingStore(away, parseStoreUrl('sqlite:e.db'), () => undefined)).rejects.toThrow(
      '--store: it is locked',
    );
  });

  it.each(['sqlite:e.db', 'etcd://h:1/x'])('continues with a store that refuses only writes: %s', async (url) => {
    const lines: string[] = [];
    const ping = () => Promise.reject(storeError('unavailable', 'no space left', { onlyWrites: true }));
    const choice = parseStoreUrl(url);
    expect(await pingStore({ ...memoryStore(), ping }, choice, (line) => lines.push(line))).toBe(false);
    expect(lines).toEqual([`the store ${choice.shown} can be read but not written (no space left)`]);
  });

  it('waits three seconds for a remote store, and for a local one as long as it takes', async () => {
    const calls: (readonly [string[], number | undefined])[] = [];
    const ping: EventStore['ping'] = async (call = {}) =>
      void calls.push([Object.keys(call).filter((name) => name === 'signal'), call.withinMs]);
    for (const url of ['memory', 'sqlite:e.db', 'postgres://h/d', 'etcd://h:1/x']) {
      await pingStore({ ...memoryStore(), ping }, parseStoreUrl(url), () => undefined);
    }
    const limited = [['signal'], 3_000];
    expect(calls).toEqual([[[], undefined], [[], undefined], limited, limited]);
  });

  it('fails if the driver of a remote store is not installed, and names no option of the library', async () => {
    const cause = Object.assign(new Error('cannot find it'), { code: 'ERR_MODULE_NOT_FOUND' });
    for (const [url, advice] of [
      ['postgres://h/d', 'npm install pg'],
      ['etcd://h:1/x', "npm install @grpc/grpc-js, or set transport: 'gateway'"],
    ] as const) {
      const ping = () => Promise.reject(storeError('unavailable', `${advice} (cannot find it)`, { cause }));
      await expect(pingStore({ ...memoryStore(), ping }, parseStoreUrl(url), () => undefined)).rejects.toThrow(
        `--store: ${advice.replace(/,.*/, '')} (cannot find it)`,
      );
    }
  });

  it('continues without a remote store, and reports this in one line', async () => {
    const lines: string[] = [];
    expect(await pingStore(away, parseStoreUrl('etcd://h:1/x'), (line) => lines.push(line))).toBe(false);
    expect(lines).toEqual(['the store etcd://h:1/x does not respond (it is locked); /readyz fails until it does']);
  });

  it('reports a role that may not create the schema without an option of the library', async () => {
    const lines: string[] = [];
    const grant = 'the role may not create the schema "v": GRANT CREATE ON DATABASE <database> TO app';
    const advice = ', or let its owner apply postgresSchema() and open the store with migrate: false';
    const ping = () => Promise.reject(storeError('unavailable', grant + advice));
    await pingStore({ ...memoryStore(), ping }, parseStoreUrl('postgres://h/d'), (line) => lines.push(line));
    expect(lines).toEqual([`the store postgres://h/d does not respond (${grant}); /readyz fails until it does`]);
  });

  it.each(['let their owner apply', 'apply'])(
    'names a command where the library advises: %s postgresSchema()',
    async (advice) => {
      const lines: string[] = [];
      const ping = () => Promise.reject(storeError('unavailable', `old: ${advice} postgresSchema() of this release`));
      await pingStore({ ...memoryStore(), ping }, parseStoreUrl('postgres://h/d'), (line) => lines.push(line));
      expect(lines).toEqual([
        'the store postgres://h/d does not respond (old: start kube-vitals serve once as their owner); /readyz fails until it does',
      ]);
    },
  );
});
