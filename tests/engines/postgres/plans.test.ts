import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresStore } from '../../../src/postgres.js';
import type { EventRecord, Revision } from '../../../src/store/contract/record.js';
import type { EventStore, ListQuery } from '../../../src/store/contract/event-store.js';
import { listStatement } from '../../../src/store/postgres/read-list.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { describeWithPostgres } from './installed.js';
import { startPostgres, type PostgresServer } from './server.js';

const ROWS = 200_000;

describeWithPostgres('reads and upkeep of a large PostgreSQL store', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let store: EventStore;

  beforeAll(async () => {
    server = await startPostgres({ options: { fsync: 'off' } });
    pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    store = postgresStore({ pool, schema: 'large', startAt: 10 });
    await store.ping();
    await pool.query(
      `INSERT INTO large.versions
         (rev, key, deleted, previous, at, total, expires_at, regarding_name, regarding_uid, description, data)
       SELECT 10 + g, 'ns-' || (g % 50) || '/event-' || g, false, null, g, 0, g + 1000000, 'pod-' || (g % 5000), 'uid-' || (g % 5000),
         '1 ["u",[],{}]', '\\x7b7d' FROM generate_series(1, $1::int) g`,
      [ROWS],
    );
    await pool.query(
      `INSERT INTO large.current (key, namespace, rev, expires_at)
       SELECT key, split_part(key, '/', 1), rev, expires_at FROM large.versions`,
    );
    await pool.query('UPDATE large.counter SET revision = $1', [ROWS + 10]);
    await pool.query('VACUUM ANALYZE large.versions');
    await pool.query('VACUUM ANALYZE large.current');
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await server.remove();
  });

  const explained = async (text: string, values: readonly unknown[]): Promise<string> =>
    (await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values])).rows
      .map((row) => row['QUERY PLAN'])
      .join('\n');

  const uid = [{ field: 'regarding.uid', value: 'uid-77' }];
  const pod = [{ field: 'regarding.name', value: 'pod-77' }];
  const queries: readonly (readonly [string, Omit<ListQuery, 'limit'>])[] = [
    ['the first page', {}],
    ['a namespace', { namespace: 'ns-7' }],
    ['a later page', { at: ROWS, after: { namespace: 'ns-7', name: 'event-107' } }],
    ['a later page of a namespace', { namespace: 'ns-7', at: ROWS, after: { namespace: 'ns-7', name: 'event-107' } }],
    ['the newest', { order: 'newest-first' }],
    ['the newest of a namespace', { order: 'newest-first', namespace: 'ns-7' }],
    [
      'the newest, later page',
      { order: 'newest-first', at: ROWS, after: { namespace: 'a', name: 'b', revision: 5_000 } },
    ],
    ['by uid', { terms: uid }],
    ['by name', { terms: pod, namespace: 'ns-27' }],
    ['by uid, older', { terms: uid, at: ROWS }],
    ['the newest by uid', { terms: uid, order: 'newest-first' }],
  ];

  test.each(queries)('%s is read through an index', async (_name, query) => {
    const { statement, values } = listStatement('large', { ...query, limit: 100 });
    const plan = await explained(statement.text, values);
    expect(plan).not.toMatch(/Seq Scan on (versions|current)|JIT/);
    const page = await store.list({ ...query, limit: 100 });
    expect(page.records.length).toBeGreaterThan(0);
  });

  test('conditions, expiry and history use indexes, also in plans made when the tables were small', async () => {
    const inside = await pool.connect();
    const plans: string[] = [];
    inside.on('notice', ({ message }) => plans.push(message ?? ''));
    await inside.query(`LOAD 'auto_explain'`);
    await inside.query(`SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
      SET auto_explain.log_level = notice`);
    await inside.query('SELECT * FROM large.expire(1000100, 50, 0, 5, 5000)');
    await inside.query('SELECT large.compact(0, 50, 1000000, 20)');
    await inside.query(`SELECT * FROM large.snapshot_keys(${ROWS}, 'ns-3/', 'ns-30', 50)`);
    inside.release(true);
    expect(plans.length).toBeGreaterThan(5);
    expect(plans.join('\n')).not.toMatch(/Seq Scan on (versions|current)|Sort Key: v\.key/);
  });

  test('a page ends after a MiB of events', async () => {
    const large = postgresStore({ pool, schema: 'large_events' });
    const expiresAt = Date.now() * 1000 + 3_600_000_000;
    for (let i = 0; i < 5; i++) {
      await large.create({ namespace: 'a', name: `e-${i}` }, sampleEvent({ note: 'x'.repeat(700_000) }), { expiresAt });
    }
    const terms = [{ field: 'regarding.name', value: 'pod-1' }];
    for (const query of [{}, { order: 'newest-first' }, { terms }] as const) {
      const page = await large.list({ ...query, limit: 500 });
      expect([page.records.length, page.remaining]).toEqual([2, 'terms' in query ? undefined : 3]);
      const { records } = await large.list({ ...query, limit: 500, at: page.revision, after: page.next });
      expect(records.map(({ key }) => key.name)).toEqual('order' in query ? ['e-2', 'e-1'] : ['e-2', 'e-3']);
    }
    await large.close();
  });
});

describeWithPostgres('history of a PostgreSQL store', () => {
  let server: PostgresServer;
  let pool: pg.Pool;

  beforeAll(async () => {
    server = await startPostgres({ options: { fsync: 'off' } });
    pool = new pg.Pool({ connectionString: server.url(), max: 6 });
  });
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });

  test('pages are exact or refused while history is being dropped', async () => {
    const clock = fakeClock();
    const store = postgresStore({ pool, schema: 'exact', clock, historyMs: 60_000 });
    const later = () => ({ expiresAt: clock.now() + 3_600_000_000 });
    const key = (i: number) => ({ namespace: 'default', name: `event-${String(i).padStart(3, '0')}` });
    let records = await Promise.all(Array.from({ length: 60 }, (_, i) => store.create(key(i), sampleEvent(), later())));
    const states: (readonly [Revision, readonly EventRecord[]])[] = [];
    let exact = 0;
    let refused = 0;
    for (let round = 0; round < 12; round++) {
      const changed = await Promise.all(
        records
          .filter((_, i) => i % 3 === round % 3)
          .map((record) =>
            store.replace(record.key, sampleEvent({ note: `round ${round}` }), {
              ...later(),
              expected: record.revision,
            }),
          ),
      );
      const byName = new Map([...records, ...changed].map((record) => [record.key.name, record]));
      const gone = key(round * 4);
      await store.remove(gone);
      byName.delete(gone.name);
      records = [...byName.values()].sort((a, b) => (a.key.name < b.key.name ? -1 : 1));
      states.push([await store.revision(), records]);
      clock.advance(20_000);
      await Promise.all(
        states.flatMap(([at, expected]) =>
          ([undefined, 'newest-first'] as const).map(async (order) => {
            try {
              const seen: EventRecord[] = [];
              let page = await store.list({ at, order, limit: 17 });
              for (;;) {
                seen.push(...page.records);
                if (page.next === undefined) break;
                page = await store.list({ at, order, after: page.next, limit: 17 });
              }
              const wanted = order === undefined ? expected : [...expected].sort((a, b) => b.revision - a.revision);
              expect(seen.map(({ revision }) => revision)).toEqual(wanted.map(({ revision }) => revision));
              exact++;
            } catch (error) {
              expect(error).toMatchObject({ code: 'expired' });
              refused++;
            }
          }),
        ),
      );
    }
    expect(exact).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(5);
    await store.close();
    const rows = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM exact.versions');
    expect(rows.rows[0]?.n).toBeLessThan(60 + 12 * 21);
  });
});
