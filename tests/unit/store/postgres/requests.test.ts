import { expect, test } from 'vitest';
import type { PostgresClient } from '../../../../src/store/postgres/client.js';
import { createRequests } from '../../../../src/store/postgres/requests.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const STATEMENT = { name: 'n', text: 'SELECT' };

/** Requests to a server whose disk is full. */
function bench() {
  const timers = fakeClock();
  const client: PostgresClient = {
    query: () => Promise.reject(Object.assign(new Error('could not extend file'), { code: '53100' })),
  };
  return { timers, requests: createRequests({ client, schema: 's', timeoutMs: 1_000, timers }) };
}

test('a write that finds the disk full stands for those after it until one succeeds', async () => {
  const { requests } = bench();
  await expect(requests.read(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests.fullDisk()).toBeUndefined();
  await expect(requests.write(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
  expect(requests.fullDisk()).toMatchObject({ onlyWrites: true, message: expect.stringContaining('disk') as string });
  requests.wrote();
  expect(requests.fullDisk()).toBeUndefined();
});

test('where nothing is written, the disk counts as full for half a minute', async () => {
  const { requests, timers } = bench();
  await expect(requests.write(STATEMENT, [])).rejects.toMatchObject({ onlyWrites: true });
  timers.advance(29_999);
  expect(requests.fullDisk()).toBeDefined();
  timers.advance(1);
  expect(requests.fullDisk()).toBeUndefined();
});
