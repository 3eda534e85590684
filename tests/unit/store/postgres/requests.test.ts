import { expect, test } from 'vitest';
import type { PostgresClient } from '../../../../src/store/postgres/client.js';
import { createRequests } from '../../../../src/store/postgres/requests.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const STATEMENT = { name: 'n', text: 'SELECT' };

const refusal = (code: string): Promise<never> => Promise.reject(Object.assign(new Error('could not'), { code }));

/** Requests to a server that refuses all of them; by default its disk is full. */
function bench(query: PostgresClient['query'] = () => refusal('53100')) {
  const timers = fakeClock();
  const client: PostgresClient = { query };
  return { timers, requests: createRequests({ client, schema: 's', timeoutMs: 1_000, timers }) };
}

test('a write that finds the disk full stands for those after it until one succeeds', async () => {
  const { requests } = bench();
  await expect(requests.read(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests.refusedWrite()).toBeUndefined();
  await expect(requests.write(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
  expect(requests.refusedWrite()).toMatchObject({
    onlyWrites: true,
    message: expect.stringContaining('disk') as string,
  });
  requests.wrote();
  expect(requests.refusedWrite()).toBeUndefined();
});

test('where nothing is written, a refused write stands for others for half a minute', async () => {
  const { requests, timers } = bench();
  await expect(requests.write(STATEMENT, [])).rejects.toMatchObject({ onlyWrites: true });
  timers.advance(29_999);
  expect(requests.refusedWrite()).toBeDefined();
  timers.advance(1);
  expect(requests.refusedWrite()).toBeUndefined();
});

test('a write without a response by its deadline stands for those after it, a read does not', async () => {
  const { requests, timers } = bench(() => new Promise(() => undefined));
  for (const kind of ['read', 'write'] as const) {
    const late = expect(requests[kind](STATEMENT, [])).rejects.toThrow('no response within 1000 ms');
    expect(requests.refusedWrite()).toBeUndefined();
    timers.advance(1_000);
    await late;
  }
  expect(requests.refusedWrite()?.message).toContain('no response within 1000 ms');
});

test.each(['read', 'write'] as const)(
  'a %s that a commit of another transaction made fail is repeated, for half of its time',
  async (kind) => {
    let failures = 3;
    const { requests, timers } = bench(() => {
      timers.advance(100);
      return failures-- > 0 ? refusal('40001') : Promise.resolve({ rows: [{ a: 'b' }] });
    });
    expect(await requests[kind](STATEMENT, [])).toEqual([{ a: 'b' }]);
    failures = 100;
    await expect(requests[kind](STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable' });
    expect(failures).toBe(95);
  },
);

test('a write that ends with its connection says nothing of those after it', async () => {
  const { requests } = bench(() => refusal('57P01'));
  await expect(requests.write(STATEMENT, [])).rejects.toMatchObject({ code: 'unknown-outcome' });
  expect(requests.refusedWrite()).toBeUndefined();
});
