import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { EventStoreSuiteOptions, StoreContext } from '../../../src/testing/fixture.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { postgresStore, type PostgresStoreOptions } from '../../../src/postgres.js';
import { postgresJsClient } from '../../../src/store/postgres/postgres-js.js';
import { eventStoreSuite } from '../../../src/testing/event-store-suite.js';
import { behindCache } from '../support/behind-cache.js';
import { pgBouncerProgram, startPgBouncer, type PgBouncer } from './pgbouncer.js';
import { describeWithPostgres, installed } from './installed.js';
import { startPostgres, type PostgresServer } from './server.js';

type Driver = Pick<PostgresStoreOptions, 'pool' | 'client' | 'pooling'>;
type OpenStore = (context: StoreContext) => EventStore;
type CreateStore = EventStoreSuiteOptions['createStore'];

/** Copies the rows of a store, and returns what puts them back. */
async function copySchema(admin: pg.Pool, schema: string): Promise<() => Promise<void>> {
  const tables = ['meta', 'counter', 'versions', 'current', 'raises'];
  const copy = `${schema}_copy`;
  const each = (text: (table: string) => string): string => tables.map(text).join('; ');
  await admin.query(
    `CREATE SCHEMA "${copy}"; ${each((table) => `CREATE TABLE "${copy}".${table} AS TABLE "${schema}".${table}`)}`,
  );
  return async () => {
    const back = (table: string): string =>
      `DELETE FROM "${schema}".${table}; INSERT INTO "${schema}".${table} TABLE "${copy}".${table}`;
    await admin.query(`BEGIN; ${each(back)}; COMMIT`);
  };
}

describeWithPostgres('the published suite on PostgreSQL', () => {
  let server: PostgresServer;
  let admin: pg.Pool;

  beforeAll(async () => {
    server = await startPostgres({ options: { synchronous_commit: 'off' } });
    admin = new pg.Pool({ connectionString: server.url(), max: 2 });
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
  });

  const suiteOver = (
    prefix: string,
    driver: () => Driver,
    wrap: (open: OpenStore) => CreateStore = (open) => open,
  ): void => {
    const open = wrap(({ clock, historyMs, id }) =>
      postgresStore({ ...driver(), clock, historyMs, schema: `${prefix}_${id}` }),
    );
    const backup = ({ id }: StoreContext) => copySchema(admin, `${prefix}_${id}`);
    eventStoreSuite({ test, createStore: open, reopen: open, secondInstance: open, backup });
  };

  describe('through a pool of pg', () => {
    let pool: pg.Pool;
    beforeAll(() => {
      pool = new pg.Pool({ connectionString: server.url(), max: 10 });
    });
    afterAll(() => pool.end());

    suiteOver('pool', () => ({ pool }));

    describe('behind a watch cache', () => suiteOver('cached', () => ({ pool }), behindCache));
  });

  describe('through the driver postgres', () => {
    let sql: ReturnType<typeof postgres>;
    beforeAll(() => {
      sql = postgres(server.url(), { max: 5 });
    });
    afterAll(() => sql.end());

    suiteOver('postgres_js', () => ({ client: postgresJsClient(sql) }));
  });

  describe.runIf(installed(pgBouncerProgram(), 'PgBouncer'))('through PgBouncer in transaction mode', () => {
    let bouncer: PgBouncer;
    let pool: pg.Pool;
    beforeAll(async () => {
      bouncer = await startPgBouncer({ target: server, poolMode: 'transaction' });
      pool = new pg.Pool({ connectionString: bouncer.url(), max: 10 });
    });
    afterAll(async () => {
      await pool.end();
      await bouncer.stop();
    });

    suiteOver('bouncer', () => ({ pool, pooling: 'auto' }));
  });
});
