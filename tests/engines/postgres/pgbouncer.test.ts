import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresStore, type PostgresStoreOptions } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { installed } from './installed.js';
import { pgBouncerProgram, startPgBouncer, type PgBouncer } from './pgbouncer.js';
import { postgresPrograms, startPostgres, type PostgresServer } from './server.js';

const key = (name: string) => ({ namespace: 'default', name });
const later = () => ({ expiresAt: Date.now() * 1000 + 3_600_000_000 });

const isInstalled = installed(postgresPrograms(), 'PostgreSQL') && installed(pgBouncerProgram(), 'PgBouncer');

describe.runIf(isInstalled)('stores of one process over PgBouncer', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ options: { synchronous_commit: 'off' } });
  });
  afterAll(() => server.remove());

  const bouncerIn = async (poolMode: 'session' | 'transaction'): Promise<PgBouncer> => {
    const bouncer = await startPgBouncer({ target: server, poolMode });
    onTestFinished(() => bouncer.stop());
    return bouncer;
  };
  const openOver = (bouncer: PgBouncer, ...options: readonly Partial<PostgresStoreOptions>[]): EventStore[] => {
    const pool = new pg.Pool({ connectionString: bouncer.url(), max: 4 });
    const stores = options.map((more) => postgresStore({ pool, requestTimeoutMs: 10_000, ...more }));
    onTestFinished(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await pool.end();
    });
    return stores;
  };

  // `session` is what `auto` may take such a pooler for while several stores listen at once.
  test.each(['auto', 'session'] as const)('in transaction mode have no failed request, with %s', async (pooling) => {
    const bouncer = await bouncerIn('transaction');
    for (let round = 0; round < 3; round++) {
      const schemas = ['a', 'b', 'c', 'd'].map((name) => ({ schema: `${pooling}_${name}`, pooling }));
      const stores = openOver(bouncer, ...schemas);
      const name = `e-${round}`;
      await Promise.all(stores.map((store) => store.create(key(name), sampleEvent({ name }), later())));
      for (let repeat = 0; repeat < 10; repeat++) {
        const reads = stores.flatMap((store) => [store.get(key(name)), store.get(key(name)), store.revision()]);
        expect(await Promise.all(reads)).not.toContain(undefined);
      }
    }
  });

  test('in session mode are notified of the writes of others', async () => {
    const bouncer = await bouncerIn('session');
    const never = 600_000;
    const options = { schema: 'notified', pooling: 'session', pollMs: never, pollWithoutListenMs: never } as const;
    // Over a pool of its own, which does not share the connection that listens.
    const [watching, writing] = [openOver(bouncer, options), openOver(bouncer, options)].flat() as [
      EventStore,
      EventStore,
    ];
    const feed = watching.changes({ after: await watching.revision() })[Symbol.asyncIterator]();
    onTestFinished(async () => void (await feed.return?.()));
    for (let i = 0; i < 3; i++) {
      const next = feed.next();
      const { revision } = await writing.create(key(`e-${i}`), sampleEvent(), later());
      expect((await next).value).toMatchObject([{ revision }]);
    }
  });
});
