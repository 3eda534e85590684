import { existsSync, statfsSync, statSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { sqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { createBench, START } from './sync-store-bench.js';

vi.mock('node:fs', async (importOriginal) => ({ ...(await importOriginal<object>()), statfsSync: vi.fn() }));

const { newPath, open } = await createBench();
const MIB = 1_048_576;

/** The size of the reserve beside a database that was opened on a disk of so many bytes; undefined: there is none. */
function reserveOn(diskBytes: number, more: { reserveBytes?: number } = {}, path = newPath()): number | undefined {
  vi.mocked(statfsSync).mockReturnValue({ blocks: diskBytes / 4_096, bsize: 4_096 } as never);
  open(path, more, START).close();
  return existsSync(`${path}-reserve`) ? statSync(`${path}-reserve`).size : undefined;
}

test('the reserve has 16 MiB by default', () => {
  expect(reserveOn(1_024 * MIB)).toBe(16 * MIB);
});

test('the reserve has at most an eighth of the disk', () => {
  expect(reserveOn(128 * MIB)).toBe(16 * MIB);
  expect(reserveOn(127 * MIB)).toBe((127 * MIB) / 8);
  expect(reserveOn(127 * MIB, { reserveBytes: MIB })).toBe(MIB);
});

test('the reserve has the size of reserveBytes, also where a start changes it, and 0 removes it', () => {
  const path = newPath();
  const sizeWith = (reserveBytes: number): number | undefined => reserveOn(1_024 * MIB, { reserveBytes }, path);
  expect([sizeWith(2 * MIB), sizeWith(3 * MIB), sizeWith(MIB), sizeWith(0)]).toEqual([
    2 * MIB,
    3 * MIB,
    MIB,
    undefined,
  ]);
});

test('the size of the reserve is a whole number of at least 0', () => {
  for (const reserveBytes of [-1, 0.5]) {
    expect(() => sqliteStore({ path: 'events.db', reserveBytes })).toThrow(
      'reserveBytes must be a whole number of at least 0',
    );
  }
});
