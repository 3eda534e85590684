import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { reserveRevisions } from '../../../../src/cli/serve/revisions.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';

async function file(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'revisions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'revisions');
}

test('the first run starts from the beginning, the next above everything the first may have used', async () => {
  const path = await file();
  const first = await reserveRevisions(path, { storeIsDurable: false });
  const second = await reserveRevisions(path, { storeIsDurable: false });
  expect(first.startAt).toBe(0);
  expect(second.startAt).toBe(Number(await readFile(path, 'utf8')) - second.startAt);
  expect(second.startAt).toBeGreaterThan(1_000_000);
});

test('a store starts directly above what was reserved', async () => {
  const path = await file();
  await reserveRevisions(path, { storeIsDurable: false });
  const { startAt } = await reserveRevisions(path, { storeIsDurable: false });
  const store = memoryStore({ startAt });
  expect(await store.revision()).toBe(startAt);
  await store.close();
});

test('a file without a number is an error that explains what to do', async () => {
  const path = await file();
  await writeFile(path, 'many');
  await expect(reserveRevisions(path, { storeIsDurable: false })).rejects.toThrow(/should contain a number; delete it/);
});

test('a ceiling of 16 digits, as revisions from the clock have, is read at the next start', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const path = await file();
  const fromClock = 1_763_000_000_000_000;
  const first = await reserveRevisions(path, { storeIsDurable: false });
  const reached = vi.fn(() => Promise.resolve(fromClock));
  const ahead = first.keepReserving(reached);
  await vi.advanceTimersByTimeAsync(60_000);
  ahead.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(reached).toHaveBeenCalledOnce();
  vi.useRealTimers();
  await vi.waitFor(async () => expect(await readFile(path, 'utf8')).toMatch(/^\d{16}\n$/));

  const { startAt } = await reserveRevisions(path, { storeIsDurable: false });
  expect(startAt).toBeGreaterThan(fromClock);
});

test('nothing more is reserved while enough is left, and another block above what was reached otherwise', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const path = await file();
  const { keepReserving } = await reserveRevisions(path, { storeIsDurable: false });
  const block = Number(await readFile(path, 'utf8'));
  const reached = vi
    .fn()
    .mockResolvedValueOnce(block / 2)
    .mockResolvedValue(block * 1.95);
  const { stop } = keepReserving(reached);
  await vi.advanceTimersByTimeAsync(120_000);
  stop();
  vi.useRealTimers();
  // With a block reserved at the first check, it would be 3.
  await vi.waitFor(async () => expect(Number(await readFile(path, 'utf8')) / block).toBe(2.95));
});

test('a number that leaves no further revisions is an error', async () => {
  const path = await file();
  await writeFile(path, `${Number.MAX_SAFE_INTEGER}`);
  await expect(reserveRevisions(path, { storeIsDurable: false })).rejects.toThrow(/should contain a number; delete it/);
});

test('a file that cannot be written fails the start, unless the store keeps its counter itself', async () => {
  // The temporary file beside it would have a name that no file system takes.
  const path = `${await file()}${'s'.repeat(230)}`;
  await expect(reserveRevisions(path, { storeIsDurable: false })).rejects.toThrow(/ENAMETOOLONG/);
  const { startAt } = await reserveRevisions(path, { storeIsDurable: true });
  expect(startAt).toBe(0);
});
