import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../../../../src/postgres.js';
import type { PostgresClient } from '../../../../src/store/postgres/client.js';
import { createRequests } from '../../../../src/store/postgres/requests.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const STATEMENT = { name: 'n', text: 'SELECT' };
const never = (): Promise<never> => new Promise(() => undefined);

test('the reason for the silence of a server is known until it responds, if only with an error', async () => {
  const timers = fakeClock();
  let query: PostgresClient['query'] = never;
  const client: PostgresClient = { query: (...call) => query(...call) };
  const requests = createRequests({ client, schema: 's', timeoutMs: 1_000, timers });
  const fall = async (): Promise<string | undefined> => {
    query = never;
    const late = expect(requests.read(STATEMENT, [])).rejects.toThrow();
    timers.advance(1_000);
    await late;
    return requests.silence()?.message;
  };
  expect(requests.silence()).toBeUndefined();
  expect(await fall()).toBe('PostgreSQL: no response within 1000 ms');
  query = () => Promise.resolve({ rows: [] });
  await requests.read(STATEMENT, []);
  expect(requests.silence()).toBeUndefined();
  expect(await fall()).toBeDefined();
  query = () => Promise.reject(Object.assign(new Error('no'), { code: '28P01' }));
  await expect(requests.read(STATEMENT, [])).rejects.toThrow('password');
  expect(requests.silence()).toBeUndefined();
});

test('a ping that has less time than a request fails with the reason of the last one', async () => {
  let queries = 0;
  const query = (): Promise<never> => (++queries === 1 ? Promise.reject(new Error('was reset')) : never());
  const store = postgresStore({ client: { query }, requestTimeoutMs: 600_000 });
  onTestFinished(() => void store.close());
  // The opening is tried again after a pause.
  while (queries < 2) await expect(store.ping({ withinMs: 20 })).rejects.toThrow('PostgreSQL: was reset');
});
