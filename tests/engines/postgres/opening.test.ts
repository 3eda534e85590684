import pg from 'pg';
import postgres from 'postgres';
import { generate } from 'selfsigned';
import { chown, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { cachedStore } from '../../../src/store/cached/cached-store.js';
import { postgresJsClient, postgresSchema, postgresStore } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { until } from '../support/waiting.js';
import { describeWithPostgres } from './installed.js';
import { serverUser, startPostgres, type PostgresServer } from './server.js';

const key = (name: string) => ({ namespace: 'default', name });
const later = () => ({ expiresAt: Date.now() * 1000 + 3_600_000_000 });

describeWithPostgres('opening a PostgreSQL store', () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const stores: EventStore[] = [];
  const open = (options: Partial<Parameters<typeof postgresStore>[0]>, user?: string): EventStore => {
    const way = options.pool === undefined ? { connectionString: server.url('postgres', user), poolSize: 2 } : {};
    const store = postgresStore({ ...way, requestTimeoutMs: 10_000, ...options });
    stores.push(store);
    return store;
  };
  const failure = async (store: EventStore): Promise<unknown> => {
    const error: unknown = await store.ping().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'StoreError', code: 'unavailable' });
    return (error as Error).message;
  };

  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Pool({ connectionString: server.url(), max: 3 });
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await admin.end();
    await server.remove();
  });

  test('five stores opened at once create one schema', async () => {
    const racing = Array.from({ length: 5 }, () => open({ schema: 'race' }));
    await Promise.all(racing.map((store) => store.ping()));
    const records = await Promise.all(racing.map((store, i) => store.create(key(`e-${i}`), sampleEvent(), later())));
    expect(new Set(records.map(({ revision }) => revision)).size).toBe(5);
  });

  test('a watch cache is current soon after another store has started, which raises the revision', async () => {
    const cached = cachedStore(open({ schema: 'cached' }));
    await until('the watch cache is filled', () => cached.status().state === 'ready', 10_000);
    const before = await cached.revision();
    const other = open({ schema: 'cached' });
    const raised = await other.revision();
    expect(raised).toBeGreaterThan(before);
    expect((await cached.list({ limit: 1 })).revision).toBe(raised);
    expect(cached.status()).toMatchObject({ revision: raised, lagMs: 0 });
    await Promise.all([cached.close(), other.close()]);
  });

  test('the driver postgres opens a new database, and one whose revisions have gone back, as pg does', async () => {
    const sql = postgres(server.url(), { max: 2 });
    const openWith = (): EventStore => {
      const store = postgresStore({ client: postgresJsClient(sql), schema: 'start_js', requestTimeoutMs: 10_000 });
      stores.push(store);
      return store;
    };
    const before = Date.now() * 1000;
    const store = openWith();
    expect(await store.revision()).toBeGreaterThanOrEqual(before);
    await store.close();
    await admin.query('UPDATE start_js.counter SET revision = 1');
    expect(await openWith().revision()).toBeGreaterThanOrEqual(before);
    await sql.end();
  });

  test('neither a new schema nor one that is there prints anything through the driver postgres', async () => {
    // The driver prints the notices of the database, unless it has the option onnotice.
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const sql = postgres(server.url(), { max: 2 });
    for (let opening = 0; opening < 2; opening++) {
      const store = postgresStore({ client: postgresJsClient(sql), schema: 'quiet', requestTimeoutMs: 10_000 });
      stores.push(store);
      await store.create(key(`e-${opening}`), sampleEvent(), later());
      await store.close();
    }
    await sql.unsafe(postgresSchema({ schema: 'quiet' }));
    await sql.end();
    expect(log.mock.calls).toEqual([]);
  });

  test('a new database starts its revisions at the clock, and an emptied one never goes back', async () => {
    const before = Date.now() * 1000;
    const store = open({ schema: 'start' });
    expect(await store.revision()).toBeGreaterThanOrEqual(before);
    await store.close();
    await admin.query('DROP SCHEMA start CASCADE');
    const last = Date.now() * 1000;
    expect(await open({ schema: 'start' }).revision()).toBeGreaterThanOrEqual(last);
  });

  test('startAt decides where a new database begins, and later openings ignore it', async () => {
    const store = open({ schema: 'start_at', startAt: 41 });
    expect((await store.create(key('a'), sampleEvent(), later())).revision).toBe(42);
    expect(await open({ schema: 'start_at', startAt: 41 }).revision()).toBe(42);
  });

  test('an older backup is raised to the clock', async () => {
    await open({ schema: 'backup', startAt: 7 }).ping();
    const before = Date.now() * 1000;
    expect(await open({ schema: 'backup' }).revision()).toBeGreaterThanOrEqual(before);
  });

  test('revisions from between a backup and its restore are expired, also if the service was stopped meanwhile', async () => {
    const tables = ['meta', 'counter', 'versions', 'current', 'raises'];
    const store = open({ schema: 'stopped' });
    const kept = await store.create(key('kept'), sampleEvent(), later());
    const raised = await open({ schema: 'stopped' }).revision();
    await admin.query(
      `CREATE SCHEMA stopped_copy; ${tables.map((t) => `CREATE TABLE stopped_copy.${t} AS TABLE stopped.${t}`).join(';')}`,
    );
    const lost = [1, 2, 3].map((i) => store.create(key(`lost-${i}`), sampleEvent(), later()));
    const [, second] = await Promise.all(lost);
    await store.close();
    await admin.query(
      tables.map((t) => `DELETE FROM stopped.${t}; INSERT INTO stopped.${t} TABLE stopped_copy.${t}`).join(';'),
    );
    const again = open({ schema: 'stopped' });
    const next = await again.create(key('next'), sampleEvent(), later());
    const at = second?.revision ?? 0;
    const from = (after: number) => again.changes({ after })[Symbol.asyncIterator]();
    await expect(from(at).next()).rejects.toMatchObject({ code: 'expired' });
    await expect(again.list({ at, limit: 1 })).rejects.toMatchObject({ code: 'expired' });
    // Both revisions are from before the second opening, so watches continue from them.
    for (const after of [kept.revision, raised]) {
      const { value } = (await from(after).next()) as { value: readonly { record: unknown }[] };
      expect(value[0]?.record).toEqual(next);
    }
  });

  test.each([0, 1])(
    'version %i of the schema, which no release has, is not changed by postgresSchema()',
    async (version) => {
      const schema = `by_hand_${version}`;
      await admin.query(postgresSchema({ schema }));
      await admin.query(`UPDATE ${schema}.meta SET version = ${version}`);
      await expect(admin.query(postgresSchema({ schema }))).rejects.toThrow(
        `the schema ${schema} has version ${version}, which no release knows: drop it, or use another`,
      );
    },
  );

  test.each([1, 99])('version %i of the schema, which is newer or was never released, is refused', async (version) => {
    const schema = `version_${version}`;
    await open({ schema }).ping();
    await admin.query(`UPDATE ${schema}.meta SET version = ${version}`);
    expect(await failure(open({ schema }))).toMatch(
      `"${schema}" has version ${version}, this release supports 2: use the release that wrote it`,
    );
  });

  /** Puts another body of `write` into a schema, as an earlier or a later release would have. Returns the one it had. */
  const otherFunctions = async (schema: string, version?: number): Promise<string> => {
    const body = await functionsOf(schema);
    await admin.query(body.replace('BEGIN\n', "BEGIN\n PERFORM 'other';\n"));
    const comment = version === undefined ? 'NULL' : `'kube-vitals functions ${version}'`;
    await admin.query(`COMMENT ON FUNCTION ${schema}.write IS ${comment}`);
    return body;
  };
  const functionsOf = async (schema: string): Promise<string> => {
    const { rows } = await admin.query<{ body: string }>('SELECT pg_get_functiondef($1::regproc) AS body', [
      `${schema}.write`,
    ]);
    return rows[0]?.body ?? '';
  };

  test('the functions of an earlier release are replaced, while its replicas go on', async () => {
    const earlier = open({ schema: 'upgraded' });
    const { revision: after } = await earlier.create(key('a'), sampleEvent(), later());
    const seen: string[] = [];
    const following = (async () => {
      for await (const changes of earlier.changes({ after })) {
        seen.push(...changes.map((change) => change.key.name));
        if (seen.length >= 21) return;
      }
    })();
    const body = await otherFunctions('upgraded');
    const before = Array.from({ length: 10 }, (_, i) => earlier.create(key(`b-${i}`), sampleEvent(), later()));
    const stores = Array.from({ length: 4 }, () => open({ schema: 'upgraded' }));
    await Promise.all([...before, ...stores.map((store) => store.ping())]);
    expect(await functionsOf('upgraded')).toBe(body);
    await Promise.all(Array.from({ length: 10 }, (_, i) => earlier.create(key(`c-${i}`), sampleEvent(), later())));
    await stores[0]?.create(key('d'), sampleEvent(), later());
    await following;
    expect(new Set(seen).size).toBe(21);
    await Promise.all([earlier, ...stores].map((store) => store.close()));
  });

  test('the functions of a later release are kept', async () => {
    await admin.query(postgresSchema({ schema: 'later' }));
    const body = await otherFunctions('later', 99);
    const store = open({ schema: 'later' });
    await store.create(key('a'), sampleEvent(), later());
    await store.close();
    await admin.query(postgresSchema({ schema: 'later' }));
    expect(await functionsOf('later')).not.toBe(body);
  });

  test('the functions of an earlier release are refused until postgresSchema() was applied, where the store may not', async () => {
    await admin.query(`CREATE ROLE guest LOGIN; ${postgresSchema({ schema: 'guests' })}`);
    await admin.query(`GRANT USAGE ON SCHEMA guests TO guest;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA guests TO guest`);
    await otherFunctions('guests');
    const byHand = open({ schema: 'guests', migrate: false }, 'guest');
    const without = open({ schema: 'guests' }, 'guest');
    const problem = 'of an earlier release: ';
    expect(await failure(byHand)).toContain(`${problem}apply postgresSchema() of this release`);
    expect(await failure(without)).toContain(`${problem}let their owner apply postgresSchema() of this release`);
    await admin.query(postgresSchema({ schema: 'guests' }));
    for (const store of [byHand, without]) {
      await expect.poll(() => store.ping().then(() => 'open', String), { timeout: 10_000 }).toBe('open');
    }
    await Promise.all([byHand, without].map((store, i) => store.create(key(`e-${i}`), sampleEvent(), later())));
    await Promise.all([byHand.close(), without.close()]);
  });

  test.each(['meta', 'counter'])('an empty table %s, as in a dump without data, is refused by name', async (table) => {
    const schema = `empty_${table}`;
    const running = open({ schema });
    const { revision } = await running.create(key('a'), sampleEvent(), later());
    await admin.query(`CREATE TABLE ${schema}.kept AS TABLE ${schema}.${table}; DELETE FROM ${schema}.${table}`);
    const late = open({ schema });
    expect(await failure(late)).toContain(
      `the table "${schema}".${table} is empty, or row level security hides its row: restore it, or drop the schema`,
    );
    if (table === 'counter') {
      expect(await failure(running)).toMatch(/emptied/);
      await expect(running.create(key('b'), sampleEvent(), later())).rejects.toThrow(/counter is empty/);
    }
    await admin.query(`INSERT INTO ${schema}.${table} TABLE ${schema}.kept`);
    // The floor has not risen meanwhile.
    expect((await running.list({ at: revision, limit: 1 })).records).toHaveLength(1);
    await Promise.all([running.close(), late.close()]);
  });

  test('migrate: false reports what is missing, and works with the schema applied by hand', async () => {
    const store = open({ schema: 'by-Hand', migrate: false });
    expect(await failure(store)).toMatch(/"by-Hand" does not exist: apply postgresSchema\(\)/);
    await admin.query(postgresSchema({ schema: 'by-Hand' }));
    await admin.query(postgresSchema({ schema: 'by-Hand' }));
    // A later call opens the same store.
    await expect.poll(() => store.ping().then(() => 'open', String), { timeout: 10_000 }).toBe('open');
    expect((await store.list({ limit: 1 })).records).toEqual([]);
  });

  test('missing rights are named in the error, and granting these rights is enough', async () => {
    await admin.query('CREATE ROLE app LOGIN');
    expect(await failure(open({ schema: 'rights' }, 'app'))).toMatch(/GRANT CREATE ON DATABASE <database> TO app/);
    await admin.query(postgresSchema({ schema: 'rights' }));
    const message = await failure(open({ schema: 'rights', migrate: false }, 'app'));
    expect(message).toMatch(/GRANT USAGE ON SCHEMA "rights" TO app/);
    await admin.query(/GRANT USAGE.*TO app/.exec(String(message))?.[0] ?? '');
    const store = open({ schema: 'rights', migrate: false }, 'app');
    const now = Date.now() * 1000;
    const record = await store.create(key('a'), sampleEvent(), { expiresAt: now - 1_000_000 });
    expect(await store.get(key('a'))).toEqual(record);
    expect(await store.expire({ now, limit: 5 })).toBe(1);
  });

  test('a database with another encoding is refused', async () => {
    await admin.query(`CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    expect(await failure(open({ connectionString: server.url('latin') }))).toMatch(
      /encoding of the database is LATIN1/,
    );
  });

  test('another default isolation level is refused with the statement that changes it', async () => {
    await admin.query(`CREATE ROLE strict LOGIN; ALTER ROLE strict SET default_transaction_isolation = 'serializable'`);
    expect(await failure(open({ schema: 'race' }, 'strict'))).toMatch(/ALTER ROLE strict SET default_transaction_iso/);
  });

  test('a read-only session is refused', async () => {
    await admin.query(`CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on`);
    expect(await failure(open({ schema: 'race' }, 'reader'))).toMatch(/read-only .* default_transaction_read_only/);
  });

  test('ping, writes and lists of a store whose server is missing fail, with unavailable and the cause', async () => {
    const store = open({ connectionString: 'postgres://postgres@127.0.0.1:1/none' });
    expect(await failure(store)).toMatch(/ECONNREFUSED/);
    const create = store.create(key('a'), sampleEvent(), later());
    await expect(create).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a pool of one connection works without LISTEN', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 1 });
    const store = open({ schema: 'single', pool });
    const feed = store.changes({ after: await store.revision() })[Symbol.asyncIterator]();
    const [{ value }, record] = await Promise.all([feed.next(), store.create(key('a'), sampleEvent(), later())]);
    expect((value as readonly { record: unknown }[])[0]?.record).toEqual(record);
    await feed.return?.();
    await store.close();
    await pool.end();
  });

  test('a pool of two connections is enough for three stores that all write and watch', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    const three = ['first', 'second', 'third'].map((schema) => open({ schema, pool }));
    const feeds = await Promise.all(
      three.map(async (store) => store.changes({ after: await store.revision() })[Symbol.asyncIterator]()),
    );
    const next = feeds.map((feed) => feed.next());
    // A connection for each store would be held by now.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const records = await Promise.all(three.map((store) => store.create(key('a'), sampleEvent(), later())));
    const changes = (await Promise.all(next)).map(({ value }) => value as readonly { record: unknown }[]);
    expect(changes.map(([change]) => change?.record)).toEqual(records);
    await Promise.all(feeds.map(async (feed) => feed.return?.()));
    await Promise.all(three.map((store) => store.close()));
    await pool.end();
  });

  test('a pool of the service stays open, and its listeners stay', async () => {
    const pool = new pg.Pool({ connectionString: server.url(), max: 3 });
    const heard: unknown[] = [];
    pool.on('error', (error) => heard.push(error));
    const store = open({ schema: 'given', pool });
    await store.ping();
    expect(pool.listenerCount('error')).toBe(2);
    await store.close();
    expect(pool.listenerCount('error')).toBe(1);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('type parsers that the service has changed make no difference', async () => {
    const text = { getTypeParser: (oid: number) => (value: string) => (oid === 25 ? value : 'changed') };
    const pool = new pg.Pool({
      connectionString: server.url(),
      max: 3,
      types: text as unknown as pg.CustomTypesConfig,
    });
    const store = open({ schema: 'parsers', pool });
    const record = await store.create(key('a'), sampleEvent(), later());
    expect((await store.list({ limit: 5 })).records).toEqual([record]);
    await store.close();
    await pool.end();
  });

  test('a store connects over TLS and verifies the certificate', async () => {
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const user = await serverUser();
    for (const [file, content] of [
      ['tls.crt', made.cert],
      ['tls.key', made.private],
    ] as const) {
      const path = join(server.dir, file);
      await writeFile(path, content);
      await chmod(path, 0o600);
      if (user.uid !== undefined) await chown(path, user.uid, user.gid ?? user.uid);
    }
    for (const setting of [
      `ssl_cert_file = '${server.dir}/tls.crt'`,
      `ssl_key_file = '${server.dir}/tls.key'`,
      'ssl = on',
    ]) {
      await admin.query(`ALTER SYSTEM SET ${setting}`);
    }
    await admin.query('SELECT pg_reload_conf()');
    const query = `SELECT count(*)::int AS n FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
      WHERE ssl AND application_name = 'kube-vitals'`;
    await expect
      .poll(
        () =>
          open({ schema: 'tls', ssl: { ca: made.cert } })
            .ping()
            .then(() => 'open', String),
        { timeout: 10_000 },
      )
      .toBe('open');
    expect((await admin.query<{ n: number }>(query)).rows[0]?.n).toBeGreaterThan(0);
    expect(await failure(open({ schema: 'tls', ssl: true }))).toMatch(/self.signed/);
  });
});
