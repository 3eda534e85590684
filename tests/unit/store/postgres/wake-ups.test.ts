import { expect, test } from 'vitest';
import { createFailureSeries } from '../../../../src/observe/failure-series.js';
import type { PostgresClient } from '../../../../src/store/postgres/client.js';
import { createRequests } from '../../../../src/store/postgres/requests.js';
import { createListenCheck, createWakeUps } from '../../../../src/store/postgres/wake-ups.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('LISTEN that fails again and again is reported once, and when it works again', async () => {
  const timers = fakeClock();
  let away = true;
  let attempts = 0;
  const client: PostgresClient = {
    query: async () => ({ rows: [] }),
    async listen() {
      attempts += 1;
      if (away) throw new Error('the server is away');
      return async () => undefined;
    },
  };
  const seen: string[] = [];
  const requests = createRequests({ client, schema: 's', timeoutMs: 100, timers });
  const wakeUps = createWakeUps({
    ...{ client, schema: 's', timers, pollMs: 1_000, pollWithoutListenMs: 100 },
    check: createListenCheck({ client, requests, timers }, 'session'),
    feeds: { readers: 1, wake: () => undefined },
    failures: createFailureSeries('notifications of s', ({ type }) => void seen.push(type), timers),
  });
  const poll = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      timers.advance(100);
      await new Promise(setImmediate);
    }
  };
  wakeUps.start();
  await poll(20);
  expect(attempts).toBeGreaterThan(2);
  expect(seen).toEqual(['error']);
  away = false;
  await poll(50);
  expect(seen).toEqual(['error', 'recovered']);
  await wakeUps.close();
});
