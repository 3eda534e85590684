import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowAnonymous, allowEverybody, createEvents, type EventStore, type Events } from 'kube-vitals';
import { postgresStore } from 'kube-vitals/postgres';
import { sqliteStore } from 'kube-vitals/sqlite';
import { call } from 'kube-vitals/testing';
import { startPostgres } from '../postgres/server.js';
import { isPresent } from '../support/databases.js';
import { eventsPath, newEvent } from '../support/event-api.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const engines: Record<string, () => Promise<{ store: EventStore; remove: () => Promise<unknown> }>> = {
  async sqlite() {
    const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-create-'));
    const store = sqliteStore({ path: join(directory, 'events.db') });
    return { store, remove: () => rm(directory, { recursive: true, force: true }) };
  },
};
if (isPresent('postgres')) {
  engines['postgres'] = async () => {
    const server = await startPostgres();
    // No write may fail for want of time on a busy machine.
    const store = postgresStore({ connectionString: server.url(), requestTimeoutMs: 60_000 });
    return { store, remove: () => server.remove() };
  };
}

describe.each(Object.entries(engines))('four concurrent writers of a missing name, on %s', (_engine, start) => {
  let store: EventStore;
  let events: Events;
  let remove: () => Promise<unknown>;
  beforeAll(async () => {
    ({ store, remove } = await start());
    events = createEvents({
      apiDomain: 'example.com',
      store,
      authenticate: allowAnonymous(),
      authorize: allowEverybody(),
    });
  });
  afterAll(async () => {
    await events.close();
    await store.close();
    await remove();
  });

  /** Counts the statuses of a hundred rounds. */
  const statuses = async (write: (name: string, by: number) => Promise<{ status: number }>) => {
    const counts: Record<number, number> = {};
    for (let round = 0; round < 100; round++) {
      const four = [0, 1, 2, 3].map((by) => write(`event-${round}`, by));
      for (const { status } of await Promise.all(four)) counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  };

  it('all succeed by PUT: one creates, the others update', async () => {
    const put = (name: string, by: number) =>
      call(events.handle, `PUT ${eventsPath('put', name)}`, { json: newEvent('put', name, `${by}`) });
    expect(await statuses(put)).toEqual({ 200: 300, 201: 100 });
  });

  it('all succeed by server-side apply', async () => {
    const apply = (name: string, by: number) => {
      const target = `PATCH ${eventsPath('apply', name)}?fieldManager=m${by}&force=true`;
      return call(events.handle, target, { json: newEvent('apply', name, `${by}`), headers: APPLY });
    };
    expect(await statuses(apply)).toEqual({ 200: 300, 201: 100 });
  });
});
