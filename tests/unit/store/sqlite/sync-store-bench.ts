import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { encodeSidecar } from '../../../../src/store/sidecar/sidecar.js';
import type { StoreError } from '../../../../src/store/contract/errors.js';
import { loadDriver, type LoadedDriver } from '../../../../src/store/sqlite/driver.js';
import { openSyncStore, type SyncStoreQuery, type SyncStore } from '../../../../src/store/sqlite/sync-store.js';
import type { SqliteStoreOptions } from '../../../../src/store/sqlite/options.js';
import type { PutOperation, WriteOperation, WriteResult } from '../../../../src/store/sqlite/write-batch.js';
import { sampleEvent, type SampleEventOptions } from '../../../../src/testing/sample-event.js';

/** The moment at which tests begin, microseconds. */
export const START = 1_704_067_200_000_000;

/** A folder for the databases of one test file, and the installed driver. */
export async function createBench() {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-unit-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const driver: LoadedDriver = await loadDriver('auto');
  let files = 0;
  return {
    driver,
    folder,
    newPath: () => join(folder, `${++files}`, 'events.db'),
    open: (path: string, more: Partial<SqliteStoreOptions> = {}, now = START): SyncStore =>
      openSyncStore(driver, { path, ...more }, now),
  };
}

/** A create, or with `expected` a replace. */
export function put(
  name: string,
  more: SampleEventOptions & { expected?: number; expiresAt?: number; size?: number } = {},
): PutOperation {
  const { expected, expiresAt = START + 3_600_000_000, size, ...options } = more;
  const note = size === undefined ? {} : { note: 'x'.repeat(size) };
  const event = sampleEvent({ name, ...options, ...note });
  const { 'regarding.name': regardingName = '', 'regarding.uid': regardingUid = '' } = event.fields;
  return {
    kind: 'put',
    key: `${more.namespace ?? 'default'}/${name}`,
    expected,
    expiresAt,
    regardingName,
    regardingUid,
    sidecar: encodeSidecar(event),
    data: event.bytes,
  };
}

export const remove = (name: string, expected?: number): WriteOperation => ({
  kind: 'remove',
  key: `default/${name}`,
  expected,
});

/** What became of a batch: the revision, the count, or the code of the failure. */
export function outcomes(results: readonly (WriteResult | StoreError)[]): (number | string)[] {
  return results.map((result) => {
    if (result instanceof Error) return result.code;
    return result.kind === 'written' ? result.revision : result.count;
  });
}

export const query = (more: Partial<SyncStoreQuery> = {}): SyncStoreQuery => ({
  namespace: undefined,
  terms: [],
  at: undefined,
  after: undefined,
  limit: 100,
  newestFirst: false,
  ...more,
});

/** The names on a page. */
export const names = (page: { readonly records: readonly { readonly key: string }[] }): string[] =>
  page.records.map(({ key }) => key.replace('default/', ''));

/** What a call fails with. */
export function failureOf(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    return error as StoreError;
  }
  throw new Error('it should have failed');
}
