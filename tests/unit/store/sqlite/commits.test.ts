import { expect, test } from 'vitest';
import type { LoadedDriver } from '../../../../src/store/sqlite/driver.js';
import { openSyncStore } from '../../../../src/store/sqlite/sync-store.js';
import { createBench, names, outcomes, put, query, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();

const FAILED_SYNC = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC', rawCode: 1034 });

const GONE = new Error('the disk does not answer');

/** A disk whose operations fail for as long as a test requires. */
function createFailingDisk() {
  const broken = { opening: false, checkpoint: false, size: false, commit: 'no' as 'no' | 'afterwards' | 'undone' };
  const failing: LoadedDriver = {
    open(path) {
      if (broken.opening) throw GONE;
      const connection = driver.open(path);
      return {
        ...connection,
        exec(sql) {
          const isFailing = sql === 'COMMIT' && broken.commit !== 'no';
          connection.exec(isFailing && broken.commit === 'undone' ? 'ROLLBACK' : sql);
          if (isFailing) throw FAILED_SYNC;
        },
        prepare(sql) {
          if (broken.size && sql === 'PRAGMA page_count') throw GONE;
          if (broken.checkpoint && sql.includes('wal_checkpoint')) throw GONE;
          return connection.prepare(sql);
        },
      };
    },
  };
  return { broken, driver: failing };
}

function openOn(disk: ReturnType<typeof createFailingDisk>, path: string) {
  const store = openSyncStore(disk.driver, { path, startAt: 1, reserveBytes: 0 }, START);
  store.write([put('a')], START);
  return store;
}

test('a store whose file could not be read after a failed commit continues with what the file has', () => {
  const disk = createFailingDisk();
  const store = openOn(disk, newPath());
  Object.assign(disk.broken, { commit: 'afterwards', opening: true });
  expect(outcomes(store.write([put('b')], START))).toEqual(['unknown-outcome']);
  Object.assign(disk.broken, { commit: 'no', opening: false });

  const page = store.list(query());
  expect([page.revision, names(page)]).toEqual([3, ['a', 'b']]);
  expect(outcomes(store.write([put('b'), put('c')], START))).toEqual(['exists', 4]);
  expect(store.changes(1).map(({ record }) => record.revision)).toEqual([2, 3, 4]);
  store.close();
});

test('nothing is written after a commit that happened until it is synced', () => {
  const disk = createFailingDisk();
  const store = openOn(disk, newPath());
  Object.assign(disk.broken, { commit: 'afterwards', checkpoint: true });
  expect(outcomes(store.write([put('b')], START))).toEqual(['unknown-outcome']);
  disk.broken.commit = 'no';
  expect(outcomes(store.write([put('c')], START))).toEqual(['unavailable']);
  expect(() => store.ping()).toThrow('the disk does not answer');
  disk.broken.checkpoint = false;
  store.ping();
  expect(outcomes(store.write([put('c')], START))).toEqual([4]);
  expect(names(store.list(query()))).toEqual(['a', 'b', 'c']);
  store.close();
});

test('a commit that was only not synced has an unknown outcome until the log is empty', () => {
  const disk = createFailingDisk();
  const path = newPath();
  const store = openOn(disk, path);
  Object.assign(disk.broken, { commit: 'undone', checkpoint: true });
  expect(outcomes(store.write([put('b')], START))).toEqual(['unknown-outcome']);
  disk.broken.checkpoint = false;
  expect(outcomes(store.write([put('b')], START))).toEqual(['unavailable']);
  disk.broken.commit = 'no';
  expect(outcomes(store.write([put('c')], START))).toEqual([3]);
  store.close();
  const again = open(path);
  expect(names(again.list(query()))).toEqual(['a', 'c']);
  again.close();
});

test('a write is acknowledged once it is committed, also if the disk fails at once', () => {
  const disk = createFailingDisk();
  const store = openSyncStore(disk.driver, { path: newPath(), startAt: 1, reserveBytes: 65_536 }, START);
  Object.assign(disk.broken, { size: true });
  expect(outcomes(store.write([put('a', { size: 20_000 })], START))).toEqual([2]);
  expect(() => store.ping()).not.toThrow();
  Object.assign(disk.broken, { size: false });
  expect(names(store.list(query()))).toEqual(['a']);
  store.close();
});
