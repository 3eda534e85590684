import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  allowAnonymous,
  allowEverybody,
  createEvents,
  createHealth,
  storeCheck,
  type Events,
} from '../../../src/index.js';
import { postgresStore } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { call } from '../../../src/testing/call.js';
import { newEvent } from '../support/event-api.js';
import { createProxy, type Proxy } from '../support/proxy.js';
import { describeWithPostgres } from './installed.js';
import { eventually, startPostgres, type PostgresServer } from './server.js';

interface Frame {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata?: { readonly name?: string; readonly resourceVersion: string };
  };
}
interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const PATH = '/apis/events.example.com/v1/namespaces/shop/events';

/** A replica of a service: a store and the events over it. */
interface Replica {
  readonly store: EventStore;
  readonly events: Events;
  create(name: string): Promise<number>;
  list(query?: string): Promise<List>;
  /** The frames of a watch as they come. */
  watch(after: string | number): { readonly frames: Frame[]; readonly ended: Promise<void> };
}

describeWithPostgres('a PostgreSQL standby that lagged is promoted', () => {
  const removals: (() => Promise<unknown>)[] = [];
  let primary: PostgresServer;
  let standby: PostgresServer;
  let proxy: Proxy;
  const abort = new AbortController();

  const replica = (): Replica => {
    const connectionString = primary.url().replace(`:${primary.port}`, `:${proxy.port}`);
    const store = postgresStore({ connectionString, poolSize: 4, requestTimeoutMs: 2_000 });
    const events = createEvents({
      apiDomain: 'example.com',
      store,
      authenticate: allowAnonymous(),
      authorize: allowEverybody(),
    });
    removals.push(async () => {
      await events.close();
      await store.close();
    });
    return {
      store,
      events,
      async create(name) {
        const answer = await call(events.handle, `POST ${PATH}`, { json: newEvent('shop', name, name) });
        const body = await answer.json<{ metadata: { resourceVersion: string } }>();
        if (answer.status !== 201) throw new Error(JSON.stringify(body));
        return Number(body.metadata.resourceVersion);
      },
      async list(query = '') {
        const answer = await call(events.handle, `GET ${PATH}${query}`);
        return answer.json<List>();
      },
      watch(after) {
        const frames: Frame[] = [];
        const run = async (): Promise<void> => {
          const answer = await call(events.handle, `GET ${PATH}?watch=true&resourceVersion=${after}`, abort);
          for await (const frame of answer.frames<Frame>()) frames.push(frame);
        };
        return { frames, ended: run() };
      },
    };
  };

  const ask = async <T>(server: PostgresServer, text: string): Promise<T> => {
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    try {
      const results = [await client.query(text)].flat();
      return results.at(-1)?.rows[0] as T;
    } finally {
      await client.end();
    }
  };

  const caughtUp = (): Promise<void> =>
    eventually(async () => {
      const { lsn } = await ask<{ lsn: string }>(primary, 'SELECT pg_current_wal_lsn()::text AS lsn');
      const { done } = await ask<{ done: boolean }>(
        standby,
        `SELECT pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn AS done`,
      );
      if (!done) throw new Error('the standby is behind');
    }, 'the standby does not catch up');

  beforeAll(async () => {
    primary = await startPostgres({ options: { synchronous_commit: 'local' } });
    removals.push(() => primary.remove());
    proxy = await createProxy(primary.port);
    removals.push(() => proxy.close());
    standby = await startPostgres({ standbyOf: primary });
    removals.push(() => standby.remove());
  });
  afterAll(async () => {
    abort.abort();
    for (const remove of removals.reverse()) await remove();
  });

  test('every watch gets 410, no new event is missed, and no revision is used twice', async () => {
    const [writer, watcher, idle] = [replica(), replica(), replica()];
    const first = await writer.create('kept');
    await idle.list();
    await caughtUp();
    await ask(standby, `ALTER SYSTEM SET primary_conninfo = ''`);
    // PostgreSQL 12 reads it only when it starts.
    await standby.restart();
    await eventually(async () => {
      const { n } = await ask<{ n: string }>(primary, 'SELECT count(*)::text AS n FROM pg_stat_replication');
      if (n !== '0') throw new Error('still connected');
    }, 'the standby stays connected');

    const begun = watcher.watch(first);
    const onWriter = writer.watch(first);
    let highest = first;
    for (let i = 0; i < 20; i++) highest = Math.max(highest, await writer.create(`lost-${i}`));
    await expect.poll(() => [begun.frames.length, onWriter.frames.length], { timeout: 10_000 }).toEqual([20, 20]);
    const page = await watcher.list('?limit=5');

    await primary.kill();
    await ask(standby, 'SELECT pg_promote()');
    proxy.aim(standby.port);
    proxy.cut();

    // The replica that has seen the least is the first to write. An attempt that fails may have taken effect.
    let attempts = 0;
    const revision = await eventually(() => idle.create(`first-${++attempts}`), 'no write after the fail-over');
    expect(revision).toBeGreaterThan(highest);
    for (const { frames, ended } of [begun, onWriter]) {
      await ended;
      expect(frames.slice(0, 20).map(({ type }) => type)).toEqual(Array.from({ length: 20 }, () => 'ADDED'));
      expect(frames.slice(20).map(({ type, object }) => [type, object.code])).toEqual([['ERROR', 410]]);
    }
    const next = await call(watcher.events.handle, `GET ${PATH}?limit=5&continue=${page.metadata.continue ?? ''}`);
    expect(next.status).toBe(410);

    for (const one of [watcher, writer, idle]) {
      const list = await one.list();
      expect(list.items.map(({ metadata }) => metadata.name)).toContain(`first-${attempts}`);
      expect(list.items.map(({ metadata }) => metadata.name)).not.toContain('lost-0');
      const again = one.watch(list.metadata.resourceVersion);
      const made = await writer.create(`new-${one === watcher ? 1 : one === writer ? 2 : 3}`);
      await expect
        .poll(() => again.frames.map(({ object }) => Number(object.metadata?.resourceVersion)))
        .toEqual([made]);
      expect(made).toBeGreaterThan(revision);
    }
  });

  test('a counter that is set back is detected by a replica that only watches', async () => {
    const [writer, watcher] = [replica(), replica()];
    const start = await writer.create('before');
    const watch = watcher.watch(start);
    const last = await writer.create('seen');
    await expect.poll(() => watch.frames.length).toBe(1);
    await ask(
      standby,
      `UPDATE kube_vitals.counter SET revision = ${start - 1}; DELETE FROM kube_vitals.versions WHERE rev >= ${start};
       DELETE FROM kube_vitals.current WHERE rev >= ${start}`,
    );
    await watch.ended;
    expect(watch.frames.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect(await writer.create('after')).toBeGreaterThan(last);
  });

  test('a dump that is restored under running replicas is detected with the next write', async () => {
    const one = replica();
    const kept = await one.create('dumped');
    const tables = ['meta', 'counter', 'versions', 'current'];
    await ask(
      standby,
      `CREATE SCHEMA dump; ${tables.map((t) => `CREATE TABLE dump.${t} AS TABLE kube_vitals.${t}`).join(';')}`,
    );
    const lost = await one.create('gone');
    // As pg_restore --clean does: it drops the tables and creates them again.
    const make = tables.map(
      (
        t,
      ) => `ALTER TABLE kube_vitals.${t} RENAME TO ${t}_old; CREATE TABLE kube_vitals.${t} (LIKE kube_vitals.${t}_old INCLUDING ALL);
        INSERT INTO kube_vitals.${t} TABLE dump.${t}; DROP TABLE kube_vitals.${t}_old`,
    );
    await ask(standby, `BEGIN; ${make.join(';')}; COMMIT`);
    const fresh = replica();
    const revision = await fresh.create('new');
    expect(revision).toBeGreaterThan(lost);
    await expect(fresh.store.list({ at: kept, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
    const health = createHealth();
    health.add(storeCheck(fresh.store));
    expect((await call(health.handle, 'GET /readyz')).status).toBe(200);
    health.close();
  });
});
