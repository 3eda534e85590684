import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import postgres from 'postgres';
import { postgresJsClient, postgresStore } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { describeWithPostgres } from './installed.js';
import { pgBouncerProgram, startPgBouncer, type PgBouncer } from './pgbouncer.js';
import { eventually, sleep, startPostgres, type PostgresServer } from './server.js';

const EVENTS = 20_000;
const SCHEMA = 'abandoned';

describeWithPostgres('a read that nobody waits for any more', () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  let pooler: PgBouncer | undefined;

  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Pool({ connectionString: server.url(), max: 2 });
    if (pgBouncerProgram() !== undefined) {
      pooler = await startPgBouncer({ target: server, poolMode: 'transaction' });
    }
    // A thousand writes at once wait for each other, for seconds on a busy machine.
    const store = postgresStore({ connectionString: server.url(), schema: SCHEMA, requestTimeoutMs: 60_000 });
    const expiresAt = Date.now() * 1_000 + 3_600_000_000;
    for (let done = 0; done < EVENTS; done += 1_000) {
      const batch = Array.from({ length: 1_000 }, (_, index) => `e-${String(done + index).padStart(6, '0')}`);
      await Promise.all(
        batch.map((name) => store.create({ namespace: 'default', name }, sampleEvent({ name }), { expiresAt })),
      );
    }
    await store.close();
    // Reading a row takes a millisecond from now on, as from a busy disk.
    await admin.query(`
      ALTER TABLE ${SCHEMA}.versions RENAME TO stored;
      CREATE VIEW ${SCHEMA}.versions AS SELECT * FROM ${SCHEMA}.stored WHERE pg_sleep(0.001) IS NOT NULL`);
  });
  afterAll(async () => {
    await admin.end();
    await pooler?.stop();
    await server.remove();
  });

  /** How many list queries the database is running. */
  const working = async (): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%${SCHEMA}%versions%'`;
    return (await admin.query<{ n: number }>(text)).rows[0]?.n ?? 0;
  };
  const begun = (): Promise<void> =>
    eventually(async () => expect(await working()).toBe(1), 'the database works on the list');

  test.each<[string, () => string]>([
    ['directly', () => server.url()],
    ...(pgBouncerProgram() === undefined
      ? []
      : [['through PgBouncer', () => pooler?.url() ?? ''] as [string, () => string]]),
  ])('stops in the database within a second, %s, and nothing else does', async (_, url) => {
    const store: EventStore = postgresStore({ connectionString: url(), schema: SCHEMA, poolSize: 4 });
    try {
      await store.ping();
      for (let round = 0; round < 3; round++) {
        const leaving = new AbortController();
        const list = store.list({ limit: EVENTS, signal: leaving.signal });
        const outcome = list.catch((error: unknown) => error);
        await begun();
        leaving.abort(new Error('left'));
        await sleep(1_000);
        expect(await working()).toBe(0);
        expect(await outcome).toBeInstanceOf(Error);
      }
      // Other reads share the connections: none of them may fail while lists are cancelled.
      const others = { ended: false, answers: 0 };
      const polite = (async () => {
        for (; !others.ended; others.answers++) await store.revision();
      })();
      for (let round = 0; round < 10; round++) {
        const leaving = new AbortController();
        const outcome = store.list({ limit: EVENTS, signal: leaving.signal }).catch((error: unknown) => error);
        await sleep(20);
        leaving.abort(new Error('left'));
        expect(await outcome).toBeInstanceOf(Error);
      }
      others.ended = true;
      await polite;
      expect(others.answers).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  test('leaves its rows to no other read of the driver postgres, which waits behind it', async () => {
    const sql = postgres(server.url(), { max: 1, onnotice: () => undefined });
    const store = postgresStore({ client: postgresJsClient(sql), schema: SCHEMA });
    const keyOf = (name: string) => ({ namespace: 'default', name });
    try {
      // By then the statement is prepared, so that the driver sends a second one before the response to the first.
      await eventually(async () => {
        await store.get(keyOf('e-000001'));
        const prepared = await sql`SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%wanted.key) AS result'`;
        expect(prepared).toHaveLength(1);
      }, 'the statement is prepared');
      const busy = sql`SELECT pg_sleep(1)`.execute();
      const leaving = new AbortController();
      const left = store.get(keyOf('e-000001'), { signal: leaving.signal }).catch((error: unknown) => error);
      await sleep(50);
      leaving.abort(new Error('left'));
      // Longer than an abandoned read keeps its place.
      await sleep(400);
      expect((await store.get(keyOf('e-000002')))?.key.name).toBe('e-000002');
      expect(await left).toBeInstanceOf(Error);
      await busy;
    } finally {
      await store.close();
      await sql.end();
    }
  });
});
