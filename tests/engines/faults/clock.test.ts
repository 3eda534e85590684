import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { etcdStore } from 'kube-vitals/etcd';
import { postgresStore } from 'kube-vitals/postgres';
import { sqliteStore } from 'kube-vitals/sqlite';
import type { EncodedEvent, EventStore } from 'kube-vitals/store';
import { fakeClock, type FakeClock } from 'kube-vitals/testing';
import { startEtcd } from '../etcd/cluster.js';
import { startPostgres } from '../postgres/server.js';
import { presentEngines } from '../support/databases.js';

type Open = (clock: FakeClock) => EventStore;

const HOUR = 3_600_000_000;
const NOON = Date.UTC(2026, 0, 2, 12) * 1000;

function event(uid: string): EncodedEvent {
  const bytes = new TextEncoder().encode(`{"metadata":{"name":"a","uid":"${uid}"}}`);
  return { bytes, cut: '{"metadata":{"name":"a",'.length, uid, fields: { reason: 'Tested' }, labels: {} };
}

describe('a clock that is set back', () => {
  const removals: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const remove of removals.reverse()) await remove();
  });

  const engines: Record<string, () => Promise<Open>> = {
    async sqlite() {
      const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-clock-'));
      removals.push(() => rm(directory, { recursive: true, force: true }));
      return (clock) => sqliteStore({ path: join(directory, 'events.db'), clock });
    },
  };
  const present = presentEngines();
  if (present.includes('postgres')) {
    engines['postgres'] = async () => {
      const server = await startPostgres();
      removals.push(() => server.remove());
      return (clock) => postgresStore({ connectionString: server.url(), clock });
    };
  }
  if (present.includes('etcd')) {
    engines['etcd'] = async () => {
      const cluster = await startEtcd();
      removals.push(() => cluster.stop());
      return (clock) => etcdStore({ endpoints: cluster.endpoints, clock });
    };
  }

  it.each(Object.entries(engines))('neither loses nor repeats changes: %s', async (_engine, start) => {
    const open = await start();
    const clock = fakeClock({ now: NOON });
    const a = { namespace: 'shop', name: 'a' };
    const b = { namespace: 'shop', name: 'b' };
    let store = open(clock);
    const first = await store.create(a, event('u1'), { expiresAt: NOON + HOUR });
    const before = await store.revision();

    clock.setNow(NOON - 10 * HOUR);
    const second = await store.create(b, event('u2'), { expiresAt: NOON - 9 * HOUR });
    expect(second.revision).toBeGreaterThan(first.revision);
    await store.close();

    // Opened again while the clock shows a time before the last revision.
    store = open(clock);
    const third = await store.replace(a, event('u3'), { expected: first.revision, expiresAt: NOON + HOUR });
    expect(third.revision).toBeGreaterThan(second.revision);
    expect((await store.list({ limit: 10, at: before })).records.map(({ event: { uid } }) => uid)).toEqual(['u1']);
    expect(await store.expire({ now: clock.now(), limit: 10 })).toBe(0);
    clock.setNow(NOON - 8 * HOUR);
    expect(await store.expire({ now: clock.now(), limit: 10 })).toBe(1);

    const seen: string[] = [];
    const closing = new AbortController();
    for await (const batch of store.changes({ after: first.revision, signal: closing.signal })) {
      for (const { type, key, revision } of batch) {
        expect(revision).toBeGreaterThan(first.revision);
        seen.push(`${type} ${key.name}`);
      }
      if (seen.length >= 3) closing.abort();
    }
    expect(seen).toEqual(['put b', 'put a', 'delete b']);
    await store.close();
  });
});
