import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresStore } from '../../../src/postgres.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { describeWithPostgres } from './installed.js';
import { startPostgres, type PostgresServer } from './server.js';

const later = () => ({ expiresAt: Date.now() * 1000 + 3_600_000_000 });

describeWithPostgres('keys that PostgreSQL cannot keep', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let store: EventStore;

  beforeAll(async () => {
    server = await startPostgres({ options: { fsync: 'off' } });
    pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    store = postgresStore({ pool });
    // A lone surrogate would be stored as U+FFFD, which is the name of this event.
    await store.create({ namespace: 'shop', name: 'a\ufffd' }, sampleEvent(), later());
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await server.remove();
  });

  test.each([
    ['of 700 characters', 'x'.repeat(700)],
    ['of 13,000 characters', 'x'.repeat(13_000)],
    ['with a NUL character', 'a\0b'],
    ['cut through a surrogate pair', 'a\ud83d'],
  ])('a name %s is refused by writes and found by no read', async (_what, name) => {
    const key = { namespace: 'shop', name };
    await expect(store.create(key, sampleEvent(), later())).rejects.toMatchObject({ code: 'invalid-key' });
    await expect(store.replace(key, sampleEvent(), { ...later(), expected: 1 })).rejects.toMatchObject({
      code: 'invalid-key',
    });
    await expect(store.remove(key)).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.get(key)).toBeUndefined();
    expect((await store.list({ namespace: name, limit: 10 })).records).toEqual([]);
    const after = await store.list({ after: key, limit: 10 });
    expect(after.records.length).toBeLessThanOrEqual(1);
  });

  test('the longest allowed name fits the indexes, in any script', async () => {
    for (const character of ['x', '\u20ac', '\ud83d\ude00']) {
      const name = character.repeat(Math.floor(600 / character.length));
      const record = await store.create({ namespace: 'long', name }, sampleEvent(), later());
      expect(await store.get(record.key)).toEqual(record);
    }
  });
});
