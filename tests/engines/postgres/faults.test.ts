import pg from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, expect, onTestFinished, test } from 'vitest';
import { postgresSchema, postgresStore, type PostgresStoreOptions } from '../../../src/postgres.js';
import type { Change, EventStore } from '../../../src/store/contract/event-store.js';
import { isStoreError } from '../../../src/store/contract/errors.js';
import type { PostgresClient } from '../../../src/store/postgres/client.js';
import { pgClient } from '../../../src/store/postgres/pg-client.js';
import type { EventRecord } from '../../../src/store/contract/record.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { describeWithPostgres } from './installed.js';
import { eventually, sleep, startPostgres, type PostgresServer } from './server.js';

const key = (name: string) => ({ namespace: 'default', name });
const later = () => ({ expiresAt: Date.now() * 1000 + 3_600_000_000 });
const note = (line: string): void => void process.stderr.write(`:: ${line}\n`);

/** Follows a feed as the library does: when it breaks, it goes on after the last change. */
function follow(store: EventStore, after: number): { readonly seen: Change[]; stop(): Promise<void> } {
  const abort = new AbortController();
  const seen: Change[] = [];
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        const from = seen.at(-1)?.revision ?? after;
        for await (const changes of store.changes({ after: from, signal: abort.signal })) seen.push(...changes);
      } catch (error) {
        if (!isStoreError(error)) throw error;
        await sleep(50);
      }
    }
  };
  const running = run();
  return {
    seen,
    async stop() {
      abort.abort();
      await running;
    },
  };
}

describeWithPostgres('for a PostgreSQL store under faults:', () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  let stores: EventStore[] = [];
  let schema = '';
  let count = 0;
  const open = (options: Partial<PostgresStoreOptions> = {}): EventStore => {
    const store = postgresStore({
      connectionString: server.url(),
      schema,
      poolSize: 3,
      requestTimeoutMs: 2_000,
      ...options,
    });
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Pool({ connectionString: server.url(), max: 2 });
    admin.on('error', () => undefined);
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
  });
  beforeEach(() => {
    stores = [];
    schema = `faults_${count++}`;
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });

  /** Every change of the feed once, in order, and every acknowledged write among them. */
  const expectComplete = async (seen: readonly Change[], acknowledged: readonly EventRecord[]): Promise<void> => {
    const last = Math.max(...acknowledged.map(({ revision }) => revision));
    await expect.poll(() => seen.at(-1)?.revision ?? 0, { timeout: 15_000 }).toBeGreaterThanOrEqual(last);
    const revisions = seen.map(({ revision }) => revision);
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    const bytes = new Map(seen.map((change) => [change.revision, change.record.event.bytes]));
    const misses = acknowledged.filter(({ revision }) => !bytes.has(revision));
    const stored = new Map(
      (await admin.query<{ rev: string; data: Buffer }>(`SELECT rev::text, data FROM ${schema}.versions`)).rows.map(
        ({ rev, data }) => [Number(rev), data],
      ),
    );
    const lost = acknowledged.filter(({ revision, event }) => stored.get(revision)?.equals(event.bytes) !== true);
    note(`${acknowledged.length} acknowledged writes, ${misses.length} missing in the feed, ${lost.length} lost`);
    expect([misses.length, lost.length]).toEqual([0, 0]);
  };

  /** Writers that note what was acknowledged, and how writes failed. */
  const write = (writers: readonly EventStore[], each: number) => {
    const acknowledged: EventRecord[] = [];
    const failures = new Map<string, number>();
    let stopping = false;
    const run = async (store: EventStore, writer: number): Promise<void> => {
      for (let i = 0; !stopping; i++) {
        const name = `e-${writer}-${i}`;
        try {
          acknowledged.push(await store.create(key(name), sampleEvent({ name }), later()));
        } catch (error) {
          if (!isStoreError(error)) throw error;
          failures.set(error.code, (failures.get(error.code) ?? 0) + 1);
          await sleep(20);
        }
      }
    };
    const running = Promise.all(
      Array.from({ length: each * writers.length }, (_, i) => run(writers[i % writers.length] as EventStore, i)),
    );
    return {
      acknowledged,
      failures,
      async stop() {
        stopping = true;
        await running;
      },
    };
  };

  test('the feeds of two instances with 16 writers are complete and in order', async () => {
    const [one, other] = [open(), open()];
    const after = await one.revision();
    const feeds = [follow(one, after), follow(other, after)];
    const writers = write([one, other], 8);
    await eventually(() => expect(writers.acknowledged.length).toBeGreaterThan(2_000), 'writes', 60_000);
    await writers.stop();
    for (const { seen } of feeds) await expectComplete(seen, writers.acknowledged);
    await Promise.all(feeds.map((feed) => feed.stop()));
    expect(writers.failures.size).toBe(0);
  });

  test('when the listening connection is cut, the feed misses nothing and listens again', async () => {
    const [one, other] = [open({ pollMs: 60_000, pooling: 'session' }), open()];
    const feed = follow(one, await one.revision());
    const listeners = async (): Promise<readonly number[]> =>
      (
        await admin.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN "${schema}.changes"'`,
        )
      ).rows.map(({ pid }) => pid);
    const [first] = await eventually(async () => {
      const pids = await listeners();
      expect(pids.length).toBe(1);
      return pids;
    }, 'a listener');
    const acknowledged = [await other.create(key('a'), sampleEvent(), later())];
    await admin.query('SELECT pg_terminate_backend($1)', [first]);
    acknowledged.push(await other.create(key('b'), sampleEvent(), later()));
    await eventually(async () => {
      const pids = await listeners();
      expect(pids.length).toBe(1);
      expect(pids[0]).not.toBe(first);
    }, 'a new listener');
    acknowledged.push(await other.create(key('c'), sampleEvent(), later()));
    await expectComplete(feed.seen, acknowledged);
    await feed.stop();
  });

  test('while no feed is read, no connection is held', async () => {
    const store = open({ pollMs: 50 });
    const listening = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query = 'LISTEN "${schema}.changes"'`;
    const held = async (): Promise<number> => (await admin.query<{ n: number }>(listening)).rows[0]?.n ?? -1;
    const feed = follow(store, await store.revision());
    await expect.poll(held, { timeout: 10_000 }).toBe(1);
    await feed.stop();
    await expect.poll(held, { timeout: 10_000 }).toBe(0);
  });

  test('after a restart of the server under load, acknowledged writes are present and feeds continue', async () => {
    const [one, other] = [open(), open()];
    const feed = follow(other, await one.revision());
    const writers = write([one, other], 4);
    const enough = (n: number) =>
      eventually(() => expect(writers.acknowledged.length).toBeGreaterThan(n), 'writes', 60_000);
    await enough(200);
    await server.stop('immediate');
    await sleep(300);
    const down = Date.now();
    await server.restart();
    const up = Date.now();
    await enough(writers.acknowledged.length + 200);
    await writers.stop();
    note(`restart took ${up - down} ms, failures ${JSON.stringify([...writers.failures])}`);
    expect([...writers.failures.keys()].every((code) => code === 'unavailable' || code === 'unknown-outcome')).toBe(
      true,
    );
    await expectComplete(feed.seen, writers.acknowledged);
    await feed.stop();
  });

  test('a write that is in progress while the server restarts is stored when it is back', async () => {
    const store = open();
    await store.ping();
    const client = await admin.connect();
    client.on('error', () => undefined);
    await client.query(`BEGIN; SELECT * FROM ${schema}.counter FOR UPDATE`);
    const creating = store.create(key('a'), sampleEvent({ name: 'a' }), later());
    const blocked = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await eventually(async () => expect((await admin.query(blocked)).rowCount).toBe(1), 'a write that waits');
    await server.stop('immediate');
    client.release(true);
    await sleep(500);
    await server.restart();
    const created = await creating;
    expect(await store.get(key('a'))).toEqual(created);
  });

  test('after kill -9 of every server process under load, acknowledged writes are present', async () => {
    const store = open();
    const feed = follow(store, await store.revision());
    const writers = write([store], 8);
    await eventually(() => expect(writers.acknowledged.length).toBeGreaterThan(200), 'writes', 60_000);
    await server.kill();
    await server.restart();
    const before = writers.acknowledged.length;
    await eventually(() => expect(writers.acknowledged.length).toBeGreaterThan(before + 100), 'writes again', 60_000);
    await writers.stop();
    await expectComplete(feed.seen, writers.acknowledged);
    await feed.stop();
  });

  test('when connections are cut one by one under load, the outcome of every write is resolved', async () => {
    const store = open();
    const feed = follow(store, await store.revision());
    const writers = write([store], 8);
    for (let round = 0; round < 15; round++) {
      await sleep(50);
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kube-vitals'`,
      );
    }
    await writers.stop();
    note(`15 cuts: failures ${JSON.stringify([...writers.failures])}`);
    await expectComplete(feed.seen, writers.acknowledged);
    await feed.stop();
  });

  test('with a frozen server, every operation ends within its deadlines, and works again afterwards', async () => {
    const store = open({ requestTimeoutMs: 2_000 });
    const record = await store.create(key('a'), sampleEvent(), later());
    const feed = follow(store, record.revision);
    const codes: unknown[] = [];
    const note = (promise: Promise<unknown>) =>
      promise.then(
        () => codes.push('done'),
        (error) => codes.push(error.code),
      );
    await server.freeze();
    const pending = [
      note(store.get(record.key)),
      note(store.list({ limit: 1 })),
      note(store.ping()),
      note(store.expire({ now: 0, limit: 1 })),
      note(store.create(key('b'), sampleEvent({ name: 'b' }), later())),
    ];
    await Promise.all(pending);
    await server.resume();
    expect(codes.every((code) => code === 'unavailable' || code === 'unknown-outcome')).toBe(true);
    await eventually(() => store.ping(), 'the store recovers');
    const again = await store.create(key('c'), sampleEvent({ name: 'c' }), later());
    await expectComplete(feed.seen, [again]);
    await feed.stop();
  });

  test('a frozen server does not delay close()', async () => {
    const store = open({ requestTimeoutMs: 2_000 });
    const feed = follow(store, await store.revision());
    await sleep(200);
    await server.freeze();
    const pending = store.ping().catch((error: unknown) => error);
    await store.close();
    await server.resume();
    expect(isStoreError(await pending)).toBe(true);
    await feed.stop().catch(() => undefined);
  });

  test('while another transaction locks the counter, a write fails with a store error, and is stored whole or not at all', async () => {
    const store = open({ requestTimeoutMs: 1_000 });
    const { revision } = await store.create(key('a'), sampleEvent(), later());
    const client = await admin.connect();
    await client.query(`BEGIN; SELECT * FROM ${schema}.counter FOR UPDATE`);
    const error: unknown = await store.create(key('b'), sampleEvent(), later()).catch((reason: unknown) => reason);
    await client.query('ROLLBACK');
    client.release();
    expect(isStoreError(error)).toBe(true);
    await eventually(() => store.ping(), 'the store recovers');
    const left = await store.list({ limit: 10 });
    expect(left.records.length).toBe(left.revision > revision ? 2 : 1);
  });

  /** A store whose database does not respond while `silence.on` is set, and how many lists were sent meanwhile. */
  const openSilenceable = () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    const real = pgClient(pool);
    const silence = { on: false, lists: 0 };
    const client: PostgresClient = {
      ...real,
      query(text, values, call) {
        if (!silence.on) return real.query(text, values, call);
        if (text.includes('ahead AS MATERIALIZED')) silence.lists++;
        return new Promise((_resolve, reject) => {
          call.signal?.addEventListener('abort', () => reject(call.signal?.reason as Error));
        });
      },
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client, requestTimeoutMs: 3_000 });
    const end = async (): Promise<void> => {
      await store.close();
      await pool.end();
    };
    return { store, silence, end };
  };

  test('lists that wait behind lists without a response fail with them, when the database sends no responses', async () => {
    const { store, silence, end } = openSilenceable();
    await store.create(key('a'), sampleEvent({ name: 'a' }), later());
    silence.on = true;
    const lists = Array.from({ length: 6 }, () => store.list({ limit: 10 }));
    const outcomes = await Promise.allSettled(lists);
    expect(outcomes).toEqual(
      lists.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) as unknown })),
    );
    expect(silence.lists).toBe(2);
    silence.on = false;
    expect((await store.list({ limit: 10 })).records).toHaveLength(1);
    await end();
  });

  test('lists that wait behind lists whose callers have left do not fail with them', async () => {
    const { store, silence, end } = openSilenceable();
    await store.create(key('a'), sampleEvent({ name: 'a' }), later());
    // Longer than half of the deadline: nothing was requested in this time.
    await sleep(1_600);
    silence.on = true;
    const callers = new AbortController();
    const given = Array.from({ length: 2 }, () => store.list({ limit: 10, signal: callers.signal }));
    const waiting = store.list({ limit: 10 });
    await expect.poll(() => silence.lists).toBe(2);
    silence.on = false;
    callers.abort();
    expect((await Promise.allSettled(given)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await waiting).records).toHaveLength(1);
    await end();
  });

  test('a create whose response was lost takes effect once, although another client deletes its event meanwhile', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    const real = pgClient(pool);
    const other = open();
    const { revision: after } = await other.create(key('before'), sampleEvent({ name: 'before' }), later());
    let lost = 0;
    let clear = '';
    const client: PostgresClient = {
      ...real,
      async query(text, values, call) {
        const result = await real.query(text, values, call);
        if (!text.includes('.write($1') || lost++ > 0) return result;
        await other.remove(key('once'));
        await admin.query(clear);
        throw new Error('Connection terminated unexpectedly');
      },
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client });
    const feed = follow(other, after);
    const created = await store.create(key('once'), sampleEvent({ name: 'once' }), later());
    expect(await other.get(key('once'))).toBeUndefined();
    const last = await other.create(key('next'), sampleEvent({ name: 'next' }), later());
    await expectComplete(feed.seen, [created, last]);
    expect(feed.seen.map(({ type, key: { name } }) => `${type} ${name}`)).toEqual([
      'put once',
      'delete once',
      'put next',
    ]);
    await feed.stop();
    // Without the log the outcome cannot be known.
    lost = 0;
    clear = `DELETE FROM ${schema}.versions; UPDATE ${schema}.meta SET forgotten = (SELECT revision FROM ${schema}.counter)`;
    await expect(store.create(key('once'), sampleEvent({ name: 'once' }), later())).rejects.toMatchObject({
      code: 'unknown-outcome',
    });
    expect(await other.get(key('once'))).toBeUndefined();
    await store.close();
    await pool.end();
  });

  test('a create that was lost is repeated, although the same event was created and deleted before', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    onTestFinished(() => pool.end());
    const real = pgClient(pool);
    let lost = false;
    const client: PostgresClient = {
      ...real,
      query(text, values, call) {
        if (!lost || !text.includes('.write($1')) return real.query(text, values, call);
        lost = false;
        return Promise.reject(new Error('Connection terminated unexpectedly'));
      },
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client });
    const event = sampleEvent({ name: 'copied' });
    await store.create(key('copied'), event, later());
    const removed = await store.remove(key('copied'));
    lost = true;
    const created = await store.create(key('copied'), event, later());
    expect(created.revision).toBeGreaterThan(removed.revision);
    expect(await store.get(key('copied'))).toEqual(created);
  });

  test('a create whose connection was lost before it took effect does not restore an event that was deleted', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    onTestFinished(() => pool.end());
    const real = pgClient(pool);
    const other = open();
    const { revision: after } = await other.create(key('before'), sampleEvent({ name: 'before' }), later());
    const blocker = await admin.connect();
    onTestFinished(() => blocker.release(true));
    const sent: (() => Promise<unknown>)[] = [];
    let first: Promise<unknown> | undefined;
    const client: PostgresClient = {
      ...real,
      async query(text, values, call) {
        const isCreate = text.includes('.write($1') && values[0]?.toString().includes('once') === true;
        if (!isCreate) return real.query(text, values, call);
        const send = () => real.query(text, values, { signal: new AbortController().signal });
        sent.push(send);
        if (sent.length === 1) {
          // The server has received it, and it waits for the lock.
          first = send();
          throw new Error('Connection terminated unexpectedly');
        }
        await blocker.query('COMMIT');
        await first;
        await other.remove(key('once'));
        return send();
      },
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client });
    await store.ping();
    const feed = follow(other, after);
    onTestFinished(() => feed.stop());
    await blocker.query(`BEGIN; SELECT FROM ${schema}.counter FOR UPDATE`);
    const created = await store.create(key('once'), sampleEvent({ name: 'once' }), later());
    // One that comes even later, and before its deadline, is the same.
    await sent[0]?.();
    expect(await other.get(key('once'))).toBeUndefined();
    const last = await other.create(key('next'), sampleEvent({ name: 'next' }), later());
    await expectComplete(feed.seen, [created, last]);
    expect(feed.seen.map(({ type, key: { name } }) => `${type} ${name}`)).toEqual([
      'put once',
      'delete once',
      'put next',
    ]);
  });

  test('while the disk of the server is full, ping says that only writes are refused, until one succeeds', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    const real = pgClient(pool);
    let full = true;
    const client: PostgresClient = {
      ...real,
      query: (text, values, call) =>
        full && text.includes('.write($1')
          ? Promise.reject(Object.assign(new Error('could not extend file'), { code: '53100' }))
          : real.query(text, values, call),
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client });
    await store.ping();
    const create = () => store.create(key('a'), sampleEvent({ name: 'a' }), later());
    await expect(create()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
    expect(await store.get(key('a'))).toBeUndefined();
    full = false;
    await create();
    await store.ping();
    await store.close();
    await pool.end();
  });

  test.each([
    [
      'commits wait for a synchronous standby that is away',
      ["ALTER SYSTEM SET synchronous_standby_names = 'away'", 'SELECT pg_reload_conf()'],
      ['ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()'],
    ],
    [
      'the role may no longer write',
      ['REVOKE INSERT ON ALL TABLES IN SCHEMA $schema FROM writer'],
      ['GRANT INSERT ON ALL TABLES IN SCHEMA $schema TO writer'],
    ],
  ])('while %s, ping says that only writes fail, and notices the end by itself', async (_, fault, end) => {
    const run = async (statements: readonly string[]): Promise<void> => {
      for (const text of statements)
        await admin.query(text.replace('$schema', schema).replace('writer', `w_${schema}`));
    };
    await admin.query(postgresSchema({ schema }));
    await run([
      'CREATE ROLE writer LOGIN',
      'GRANT USAGE ON SCHEMA $schema TO writer',
      'GRANT ALL ON ALL TABLES IN SCHEMA $schema TO writer',
    ]);
    const connectionString = server.url('postgres', `w_${schema}`);
    const store = open({ connectionString, migrate: false, requestTimeoutMs: 1_000 });
    const create = (name: string) => store.create(key(name), sampleEvent({ name }), later());
    const first = await create('a');
    let tried = 0;
    await run(fault);
    try {
      // The server applies a setting some time after it was told to read it.
      await eventually(
        () => expect(create(`b${tried++}`)).rejects.toThrow(/no response within|a right is missing/),
        'writes fail',
      );
      for (let pings = 0; pings < 5; pings++, await sleep(300)) {
        await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
      }
      expect(await store.get(key('a'))).toEqual(first);
    } finally {
      await run(end);
    }
    await eventually(() => store.ping(), 'ping succeeds', 5_000);
    const { revision } = await create('c');
    expect(revision).toBeLessThan(first.revision + 3 + tried);
  });

  test('no write fails when the default isolation level changes while stores are open', async () => {
    await admin.query('CREATE ROLE changed LOGIN; GRANT CREATE ON DATABASE postgres TO changed');
    const [one, two] = [0, 1].map(() => open({ connectionString: server.url('postgres', 'changed') })) as [
      EventStore,
      EventStore,
    ];
    await Promise.all([one.ping(), two.ping()]);
    await admin.query(`ALTER ROLE changed SET default_transaction_isolation = 'serializable'`);
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changed'`);
    await sleep(200);
    const write = async (store: EventStore, name: string): Promise<void> => {
      for (let i = 0; i < 100; i++) await store.create(key(`${name}-${i}`), sampleEvent(), later());
    };
    await Promise.all([write(one, 'a'), write(one, 'b'), write(two, 'c'), write(two, 'd')]);
    expect((await one.list({ limit: 500 })).records).toHaveLength(400);
  });

  test('a write that was abandoned and repeated cannot take effect later', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    const real = pgClient(pool);
    let held: (() => Promise<unknown>) | undefined;
    const client: PostgresClient = {
      ...real,
      query(text, values, call) {
        if (held !== undefined || !text.includes('.write($1')) return real.query(text, values, call);
        // A frozen server has received the statement, and executes it later.
        held = () => real.query(text, values, { signal: new AbortController().signal });
        return new Promise((_resolve, reject) => {
          call.signal?.addEventListener('abort', () => reject(call.signal?.reason as Error));
        });
      },
    };
    const store = open({ connectionString: undefined, poolSize: undefined, client, requestTimeoutMs: 1_000 });
    await store.create(key('once'), sampleEvent({ name: 'once' }), later());
    await store.remove(key('once'));
    await expect(held?.()).rejects.toThrow('after its deadline');
    expect(await store.get(key('once'))).toBeUndefined();
    await store.create(key('next'), sampleEvent({ name: 'next' }), later());
    await pool.end();
  });
});
