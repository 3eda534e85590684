import { expect, onTestFinished, test, vi } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
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
    ...{ client, schema: 's', timers, timeoutMs: 100, pollMs: 1_000, pollWithoutListenMs: 100 },
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

const never = new Promise<never>(() => undefined);

test.each<[string, NonNullable<PostgresClient['listen']>]>([
  ['LISTEN', () => never],
  ['UNLISTEN', async () => () => never],
])('close() waits for a driver that gets no response to %s no longer than for a statement', async (_what, listen) => {
  const timers = fakeClock();
  const client: PostgresClient = { query: async () => ({ rows: [] }), listen };
  const requests = createRequests({ client, schema: 's', timeoutMs: 100, timers });
  const wakeUps = createWakeUps({
    ...{ client, schema: 's', timers, timeoutMs: 100, pollMs: 1_000, pollWithoutListenMs: 100 },
    check: createListenCheck({ client, requests, timers }, 'session'),
    feeds: { readers: 1, wake: () => undefined },
    failures: createFailureSeries('notifications of s', () => undefined, timers),
  });
  wakeUps.start();
  await nextTurn();
  const closed = vi.fn();
  void wakeUps.close().then(closed);
  timers.advance(99);
  await nextTurn();
  expect(closed).not.toHaveBeenCalled();
  timers.advance(1);
  await nextTurn();
  expect(closed).toHaveBeenCalled();
});

/** A check whose statements and notifications wait for the test. */
function createBench() {
  const timers = fakeClock();
  const bench = { timers, lose: () => {}, notify: () => {}, respond: () => {} };
  const client: PostgresClient = {
    query: () => new Promise((resolve) => (bench.respond = () => resolve({ rows: [] }))),
    async listen(_channel, onNotify, onLost) {
      bench.lose = onLost;
      bench.notify = () => onNotify('');
      return async () => undefined;
    },
  };
  const requests = createRequests({ client, schema: 's', timeoutMs: 5_000, timers });
  return Object.assign(bench, { check: createListenCheck({ client, requests, timers }, 'auto') });
}

test.each([
  ['its time is up', ({ timers }: ReturnType<typeof createBench>) => timers.advance(1_000)],
  ['the store is closed', ({ check }: ReturnType<typeof createBench>) => check.close()],
])(
  'a connection that is lost after the check whether LISTEN works was ended, because %s, is no unhandled rejection',
  async (_why, end) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const bench = createBench();
    const works = bench.check.works();
    await nextTurn();
    bench.respond();
    await nextTurn();
    end(bench);
    bench.lose();
    expect(await works).toBe(false);
    await nextTurn();
    expect(unhandled).not.toHaveBeenCalled();
  },
);

test('a server that was frozen while it was checked whether LISTEN works is no pooler', async () => {
  const bench = createBench();
  const works = bench.check.works();
  for (let sent = 0; sent < 3; sent++) {
    await nextTurn();
    bench.timers.advance(2_000);
    bench.respond();
    // The notification comes over another connection.
    await nextTurn();
    bench.notify();
  }
  expect(await works).toBe(true);
});
