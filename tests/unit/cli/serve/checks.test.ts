import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { exampleDependency, standaloneChecks } from '../../../../src/cli/serve/checks.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';

const disk = vi.hoisted(() => ({ freeBytes: 0 }));
vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs/promises')>()),
  statfs: () => Promise.resolve({ bavail: disk.freeBytes, blocks: 2 ** 40, bsize: 1 }),
}));

describe('standaloneChecks', () => {
  it('pass in a healthy process, and read discovery for the group', async () => {
    const asked: string[] = [];
    const api = ({ url }: { readonly url: string }) => {
      asked.push(url);
      return { status: 200, headers: {}, body: null };
    };
    const store = memoryStore();
    const checks = standaloneChecks({
      dataDir: tmpdir(),
      store,
      group: 'events.example.com',
      api,
      withExample: false,
    });
    const { signal } = new AbortController();
    const expected = ['memory', 'autoregister-completion', 'event-loop', 'heap', 'disk'];
    expect(checks.map(({ name }) => name)).toEqual(expected);
    for (const { name, check } of checks.slice(0, 2))
      expect([name, await check({ signal })]).toEqual([name, undefined]);
    expect(asked).toEqual(['/apis/events.example.com']);
    await store.close();
    await expect(Promise.resolve(checks[0]?.check({ signal }))).rejects.toThrow();
  });

  it('fail when discovery does not show the group', async () => {
    const store = memoryStore();
    const checks = standaloneChecks({
      dataDir: tmpdir(),
      store,
      group: 'g',
      api: () => undefined,
      withExample: true,
    });
    const { signal } = new AbortController();
    await expect(Promise.resolve(checks[1]?.check({ signal }))).rejects.toThrow('discovery does not show g');
    await store.close();
  });

  it('want 100 MiB free on the disk of the data directory, however large it is', async () => {
    const store = memoryStore();
    const checks = standaloneChecks({ dataDir: '/data', store, group: 'g', api: () => undefined, withExample: false });
    const { signal } = new AbortController();
    disk.freeBytes = 104_857_600;
    expect(await checks.at(-1)?.check({ signal })).toBe(true);
    disk.freeBytes -= 1;
    const reason = '104857599 bytes (0.0 %) are free at /data';
    expect(await checks.at(-1)?.check({ signal })).toEqual({ ok: false, reason });
    await store.close();
  });

  it('count for livez only if a restart can help', () => {
    const store = memoryStore();
    const checks = standaloneChecks({
      dataDir: tmpdir(),
      store,
      group: 'g',
      api: () => undefined,
      withExample: true,
    });
    const onLivez = checks.filter(({ endpoints }) => endpoints?.includes('livez')).map(({ name }) => name);
    expect(onLivez).toEqual(['autoregister-completion']);
    expect(checks.at(-1)?.name).toBe('example-dependency');
  });
});

describe('exampleDependency', () => {
  it('fails for the last quarter of every minute', () => {
    for (const ms of [0, 44_999, 60_000, 104_999]) expect(() => exampleDependency(ms)).not.toThrow();
    for (const ms of [45_000, 59_999, 105_000]) expect(() => exampleDependency(ms)).toThrow(/simulated/);
  });
});
