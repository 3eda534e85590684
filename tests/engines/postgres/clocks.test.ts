import pg from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock/clock.js';
import {
  allowAnonymous,
  allowEverybody,
  createEvents,
  createHealth,
  storeCheck,
  type Events,
} from '../../../src/index.js';
import { postgresStore, type PostgresStoreOptions } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { call } from '../../../src/testing/call.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { newEvent } from '../support/event-api.js';
import { describeWithPostgres } from './installed.js';
import { sleep, startPostgres, type PostgresServer } from './server.js';

const SECOND = 1_000_000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const PATH = '/apis/events.example.com/v1/namespaces/shop/events';

const key = (name: string) => ({ namespace: 'shop', name });
const systemNow = (): number => Date.now() * 1000;
const clockOff = (by: number): Clock => ({ ...systemClock, now: () => systemClock.now() + by });

describeWithPostgres('clocks that are wrong, over PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let schema = '';
  let count = 0;
  let closings: (() => unknown)[] = [];

  const open = (options: Partial<PostgresStoreOptions> = {}): EventStore => {
    const store = postgresStore({ pool, schema, ...options });
    closings.push(() => store.close());
    return store;
  };
  const serve = (store: EventStore, clock: Clock): Events => {
    const events = createEvents({
      apiDomain: 'example.com',
      store,
      clock,
      authenticate: allowAnonymous(),
      authorize: allowEverybody(),
      expiryIntervalMs: 20,
    });
    closings.push(() => events.close());
    return events;
  };
  const names = async (store: EventStore): Promise<string[]> =>
    (await store.list({ limit: 100 })).records.map((record) => record.key.name);

  beforeAll(async () => {
    server = await startPostgres({ options: { fsync: 'off' } });
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
  });
  beforeEach(() => {
    schema = `clocks_${count++}`;
    closings = [];
  });
  afterEach(async () => {
    for (const close of closings.reverse()) await close();
  });
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });

  test("a replica a year ahead expires nothing, uses the database's timestamps and is not ready", async () => {
    const good = open();
    const goodEvents = serve(good, systemClock);
    const created = await call(goodEvents.handle, `POST ${PATH}`, { json: newEvent('shop', 'a', 'a') });
    expect(created.status).toBe(201);
    const ahead = clockOff(YEAR);
    const bad = open({ clock: ahead });
    const badEvents = serve(bad, ahead);
    const health = createHealth();
    closings.push(() => health.close());
    health.add(storeCheck(bad, { clock: ahead }));
    const answer = await call(badEvents.handle, `POST ${PATH}`, { json: newEvent('shop', 'b', 'b') });
    const { metadata } = await answer.json<{ metadata: { creationTimestamp: string } }>();
    expect(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now())).toBeLessThan(10_000);
    const report = await health.report('readyz');
    expect(report.checks.find(({ name }) => name === 'postgres')?.reason).toBe(
      "the clock of this process is 31536000 s ahead of the store's",
    );
    // Fifty rounds of its expiry loop, and then a call with the wrong time.
    await sleep(1_000);
    expect(await bad.expire({ now: ahead.now(), limit: 100 })).toBe(0);
    expect(await names(good)).toEqual(['a', 'b']);
    const { rows } = await pool.query<{ at: string }>(`SELECT max(at)::text AS at FROM ${schema}.versions`);
    expect(Number(rows[0]?.at)).toBeLessThanOrEqual(systemNow() + SECOND);
  });

  test('events acknowledged by a replica two hours slow are kept as long as they should', async () => {
    const good = open();
    serve(good, systemClock);
    const slow = clockOff(-2 * HOUR);
    const bad = open();
    const badEvents = serve(bad, slow);
    const answer = await call(badEvents.handle, `POST ${PATH}`, { json: newEvent('shop', 'a', 'a') });
    expect(answer.status).toBe(201);
    await sleep(1_000);
    const record = await good.get(key('a'));
    expect(Math.abs((record?.expiresAt ?? 0) - systemNow() - HOUR)).toBeLessThan(10 * SECOND);
    const health = createHealth();
    closings.push(() => health.close());
    health.add(storeCheck(bad, { clock: slow }));
    expect((await health.report('readyz')).status).toBe('failed');
  });

  test('history with timestamps a year ahead is dropped nevertheless', async () => {
    const store = open({ historyMs: 1_000 });
    const { revision } = await store.create(key('a'), sampleEvent(), { expiresAt: systemNow() + HOUR });
    await store.remove(key('a'));
    await pool.query(`UPDATE ${schema}.versions SET at = at + ${YEAR}; UPDATE ${schema}.counter SET at = at + ${YEAR}`);
    await store.create(key('b'), sampleEvent(), { expiresAt: systemNow() + HOUR });
    const outcome = (): Promise<unknown> =>
      store.list({ at: revision, limit: 1 }).then(
        () => 'readable',
        (error: { code: string }) => error.code,
      );
    await expect.poll(outcome, { timeout: 10_000 }).toBe('expired');
    const left = async (): Promise<unknown> =>
      (await pool.query<{ keys: string }>(`SELECT string_agg(key, ' ' ORDER BY rev) AS keys FROM ${schema}.versions`))
        .rows[0]?.keys;
    await expect.poll(left, { timeout: 10_000 }).toBe('shop/b');
  });

  test('history is bounded in bytes', async () => {
    const store = open({ historyMaxBytes: 100_000 });
    let record = await store.create(key('a'), sampleEvent(), { expiresAt: systemNow() + HOUR });
    const { revision } = record;
    const note = 'x'.repeat(5_000);
    for (let i = 0; i < 100; i++) {
      const event = sampleEvent({ note: `${i} ${note}` });
      record = await store.replace(record.key, event, { expected: record.revision, expiresAt: systemNow() + HOUR });
    }
    const before = record.revision - 5;
    const size = async (): Promise<number> => {
      const text = `SELECT sum(octet_length(data))::text AS size FROM ${schema}.versions`;
      return Number((await pool.query<{ size: string }>(text)).rows[0]?.size);
    };
    // Long before the next check by time, which is half a minute away. An eighth of it may be written in between.
    await expect.poll(size, { timeout: 10_000 }).toBeLessThan(120_000);
    await expect(store.list({ at: revision, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
    expect((await store.list({ at: before, limit: 1 })).records).toHaveLength(1);
  });
});
