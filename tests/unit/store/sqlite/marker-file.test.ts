import { copyFileSync, mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMarkerFile } from '../../../../src/store/sqlite/marker-file.js';
import type { SyncStore } from '../../../../src/store/sqlite/sync-store.js';
import { createBench, failureOf, names, outcomes, put, query, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();

const revisionOf = (store: SyncStore, name: string): number => outcomes(store.write([put(name)], START))[0] as number;

/** A consistent copy of a database that is open. */
function backUp(path: string): string {
  const copy = `${path}-backup`;
  const other = driver.open(path);
  other.exec(`VACUUM INTO '${copy}'`);
  other.close();
  return copy;
}

function restore(copy: string, path: string): void {
  for (const ending of ['', '-wal', '-shm']) {
    try {
      unlinkSync(path + ending);
    } catch {
      // SQLite removes its own files when it closes.
    }
  }
  copyFileSync(copy, path);
}

describe.each([
  ['revisions from the clock', {}],
  ['a given startAt', { startAt: 100_000_000 }],
] as const)('a file with %s', (_what, more) => {
  test('keeps its history over a restart', () => {
    const path = newPath();
    const store = open(path, more);
    const first = revisionOf(store, 'a');
    const last = revisionOf(store, 'b');
    store.close();
    const again = open(path, { ...more, ...('startAt' in more && { startAt: 200_000_000 }) }, START + 1);
    expect(again.changes(first)).toHaveLength(1);
    if ('startAt' in more) expect(again.revision()).toBe(last);
    again.close();
  });

  test('that was moved has lost nothing, but its history is expired', () => {
    const path = newPath();
    const store = open(path, more);
    const first = revisionOf(store, 'a');
    const last = revisionOf(store, 'b');
    store.close();
    const elsewhere = newPath();
    mkdirSync(dirname(elsewhere), { recursive: true });
    for (const ending of ['', '-mark']) copyFileSync(path + ending, elsewhere + ending);
    const moved = open(elsewhere, more);
    expect(moved.revision()).toBeGreaterThan(last);
    expect(failureOf(() => moved.changes(first))).toMatchObject({ code: 'expired' });
    expect(names(moved.list(query()))).toEqual(['a', 'b']);
    moved.close();
  });

  test('that was restored from a copy starts above all used revisions, and expires earlier ones', () => {
    const path = newPath();
    const store = open(path, more);
    const kept = revisionOf(store, 'a');
    const copy = backUp(path);
    const lost = revisionOf(store, 'b');
    store.close();
    restore(copy, path);
    const again = open(path, more, START + 60_000_000);
    expect(again.revision()).toBeGreaterThan(lost);
    for (const seen of [kept, lost]) {
      expect(failureOf(() => again.changes(seen))).toMatchObject({ code: 'expired', current: again.revision() });
    }
    expect(revisionOf(again, 'c')).toBeGreaterThan(lost);
    // Revisions are raised at the first opening only.
    const { length } = again.changes(again.revision() - 1);
    expect(length).toBe(1);
    const before = again.revision();
    again.close();
    const third = open(path, more, START + 60_000_001);
    expect(third.changes(before - 1)).toHaveLength(1);
    third.close();
  });

  test('that replaces a deleted one starts above it', () => {
    const path = newPath();
    const store = open(path, more);
    const last = revisionOf(store, 'a');
    store.close();
    unlinkSync(path);
    // The clock is earlier than before.
    const again = open(path, more, START - 3_600_000_000);
    expect(again.revision()).toBeGreaterThan(last);
    expect(failureOf(() => again.changes(last))).toMatchObject({ code: 'expired' });
    again.close();
  });
});

test('a mark that cannot be read counts as missing', () => {
  const path = newPath();
  const store = open(path);
  const last = revisionOf(store, 'a');
  store.close();
  writeFileSync(`${path}-mark`, '{"file":');
  const again = open(path);
  expect(again.revision()).toBeGreaterThan(last);
  expect(failureOf(() => again.changes(last))).toMatchObject({ code: 'expired' });
  again.close();
});

test('a copy written over the file is detected by its counter and by its opening', () => {
  const path = newPath();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'a database');
  const mark = readMarkerFile(path);
  expect(mark.isProven({ opening: 0, latest: 5 })).toBe(false);
  mark.begin([1, 2], 5);
  mark.note(9, true);
  const next = readMarkerFile(path);
  expect(next.latest).toBe(9);
  expect(next.isProven({ opening: 1, latest: 9 })).toBe(true);
  expect(next.isProven({ opening: 2, latest: 12 })).toBe(true);
  expect(next.isProven({ opening: 2, latest: 8 })).toBe(false);
  expect(next.isProven({ opening: 3, latest: 12 })).toBe(false);
});
