import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'kube-vitals/sqlite';
import { eventStoreSuite } from 'kube-vitals/testing';
import { afterAll, describe, test } from 'vitest';

// The built package, in which the program of the worker thread is a file of its own.
const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('sqliteStore', () => {
  const open = ({ id, clock, historyMs }: { id: string; clock: object; historyMs: number }) =>
    sqliteStore({ path: join(folder, id, 'events.db'), clock: clock as never, historyMs });

  eventStoreSuite({ test, createStore: open, reopen: open });
});
