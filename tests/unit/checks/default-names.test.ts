import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as checks from '../../../src/checks.js';
import { etcdStore } from '../../../src/etcd.js';
import { createHealth, memoryStore, type EventStore } from '../../../src/index.js';
import { postgresStore } from '../../../src/postgres.js';
import { sqliteStore } from '../../../src/sqlite.js';

/** Nothing listens there: a store opens in the background, so that it can be made without its database. */
const NOWHERE = '127.0.0.1:1';

const makers: Readonly<Record<Exclude<keyof typeof checks, 'storeCheck'>, () => checks.HealthCheck>> = {
  certificateCheck: () => checks.certificateCheck({ host: 'example.com' }),
  createHolds: () => checks.createHolds().check,
  diskCheck: () => checks.diskCheck({ path: '/' }),
  dnsCheck: () => checks.dnsCheck({ hostname: 'example.com' }),
  eventLoopDelayCheck: () => checks.eventLoopDelayCheck(),
  eventLoopUtilizationCheck: () => checks.eventLoopUtilizationCheck(),
  gaugeCheck: () => checks.gaugeCheck({ value: () => 1, max: 1 }),
  heapCheck: () => checks.heapCheck(),
  httpCheck: () => checks.httpCheck({ url: 'http://example.com/' }),
  memoryCheck: () => checks.memoryCheck(),
  tcpCheck: () => checks.tcpCheck({ host: 'example.com', port: 80 }),
};

test('one health object takes every ready-made check and the check of every kind of store, by their default names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-names-'));
  const stores: readonly EventStore[] = [
    memoryStore(),
    sqliteStore({ path: join(folder, 'events.db') }),
    postgresStore({ connectionString: `postgres://${NOWHERE}/none` }),
    etcdStore({ endpoints: [`http://${NOWHERE}`] }),
  ];
  const health = createHealth();
  onTestFinished(async () => {
    health.close();
    await Promise.all(stores.map((store) => store.close()));
    rmSync(folder, { recursive: true });
  });
  for (const make of Object.values(makers)) health.add(make());
  for (const store of stores) health.add(checks.storeCheck(store));
  expect(stores.map(({ name }) => name)).toEqual(['memory', 'sqlite', 'postgres', 'etcd']);
});
