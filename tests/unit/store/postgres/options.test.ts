import { describe, expect, test } from 'vitest';
import { postgresSchema, postgresStore } from '../../../../src/postgres.js';

const client = { query: () => Promise.reject(new Error('not here')) };

describe('postgresStore', () => {
  test('lists every fault in one TypeError', () => {
    const make = () =>
      postgresStore({
        poolSize: 0,
        requestTimeoutMs: 0,
        historyMs: -1,
        historyMaxBytes: -1,
        maxEventBytes: 1e9,
        schema: 'pg_temp',
        pooling: 'statement' as never,
        name: '',
      });
    expect(make).toThrow(TypeError);
    for (const fault of [
      'exactly one of',
      'poolSize',
      'requestTimeoutMs',
      'historyMs',
      'historyMaxBytes',
      'maxEventBytes',
      'pg_',
      'pooling',
      'name',
    ]) {
      expect(make).toThrow(fault);
    }
  });

  test.each([
    [{ client, connectionString: 'postgres://x' }, 'exactly one of'],
    [{ client: {} as never }, 'client must be an object with query()'],
    [{ pool: null as never }, 'pool must be an object with connect()'],
    [{ client, ssl: true }, 'ssl needs connectionString'],
    [{ client, migrate: 1 as never }, 'migrate'],
    [{ client, startAt: -1 }, 'startAt'],
    [{ client, pollMs: 0.5 }, 'pollMs'],
    [{ client, poolsize: 1 } as never, 'there is no option "poolsize" (did you mean "poolSize"?)'],
    [{ client, schema: 'a"b' }, 'schema must be a name'],
    [{ client, schema: 'x'.repeat(49) }, 'schema must be a name'],
  ])('refuses the invalid options %o', (options, message) => {
    expect(() => postgresStore(options)).toThrow(message);
  });

  test('declares its capabilities', async () => {
    const store = postgresStore({ client });
    expect(store.name).toBe('postgres');
    expect(store.capabilities).toEqual({
      durable: true,
      shared: true,
      newestFirst: true,
      remaining: false,
      maxEventBytes: 3_145_728,
    });
    await store.close();
  });
});

describe('postgresSchema', () => {
  test('quotes the schema name everywhere', () => {
    const text = postgresSchema({ schema: 'Shop-1' });
    expect(text).toMatch(/^DO \$kube_vitals\$/);
    expect(text).toContain('CREATE SCHEMA "Shop-1"');
    const rest = text.replaceAll(/"Shop-1"|'(kube-vitals (schema|history) )?Shop-1(\.changes)?'/g, '');
    expect(rest).not.toContain('Shop-1');
  });

  test('has a default name, and refuses invalid ones', () => {
    expect(postgresSchema()).toContain('"kube_vitals".versions');
    expect(() => postgresSchema({ schema: 'a b' })).toThrow(TypeError);
  });

  test('fixes the search path of every function', () => {
    const text = postgresSchema();
    expect(text.match(/CREATE OR REPLACE FUNCTION/g)?.length).toBe(
      text.match(/SET search_path = pg_catalog, pg_temp/g)?.length,
    );
  });
});
