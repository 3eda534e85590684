import { expect, it, onTestFinished } from 'vitest';
import { createRecorder, recordHealthChanges } from '../../../../src/client.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { createHealth } from '../../../../src/index.js';
import { fakeClock, testRecorder } from '../../../../src/testing.js';
import { fakeServer } from './fake-server.js';

/** A service whose health changes are recorded, with a background check that runs every second. */
function recordedService() {
  const clock = fakeClock();
  const server = fakeServer();
  const recorder = createRecorder({ events: server.client, reportingController: 'example.com/shop', clock });
  const health = createHealth({ clock });
  let passes = true;
  health.onChange(recordHealthChanges(recorder));
  health.add({ name: 'database', check: () => passes, periodMs: 1_000 });
  onTestFinished(() => health.close());

  const second = async (): Promise<void> => {
    clock.advance(1_000);
    for (let turn = 0; turn < 4; turn++) await nextTurn();
  };
  return {
    server,
    /** For some seconds the check fails and passes alternately, a second each. It passes at the end. */
    async flap(seconds: number): Promise<void> {
      for (let at = 0; at < seconds; at++) {
        passes = at % 2 === 1;
        await second();
      }
    },
    async stayHealthy(seconds: number): Promise<void> {
      for (let at = 0; at < seconds; at++) await second();
    },
    /** The events on the server, in the order in which they were created, with their counts. */
    counts: () => server.events().map(({ reason, series }) => [reason, series?.count ?? 1]),
  };
}

it('a change is recorded with its check and status, as a warning unless the check passes, except for shutdown', () => {
  const recorder = testRecorder();
  const record = recordHealthChanges(recorder);
  for (const status of ['failed', 'degraded', 'ok'] as const) record({ check: 'database', status });
  record({ check: 'shutdown', status: 'failed' });
  const action = 'CheckingHealth';
  expect(recorder.recorded).toMatchObject([
    { action, type: 'Warning', reason: 'HealthCheckFailing', note: 'check database is failed' },
    { action, type: 'Warning', reason: 'HealthCheckDegraded', note: 'check database is degraded' },
    { action, type: 'Normal', reason: 'HealthCheckPassing', note: 'check database is ok' },
  ]);
  expect(recorder.recorded).toHaveLength(3);
});

it('a check that flaps is one series of failures and one of recoveries, which end when it was stable for six minutes', async () => {
  const { server, flap, stayHealthy, counts } = recordedService();
  await stayHealthy(10);
  expect(counts()).toEqual([]);

  await flap(120);
  await stayHealthy(10);
  const first = [
    ['HealthCheckFailing', 60],
    ['HealthCheckPassing', 60],
  ];
  expect(counts()).toEqual(first);
  // Each series is created, patched at once, and then patched at most every 7.5 s.
  expect(server.calls.length).toBeLessThanOrEqual(2 * (2 + 130 / 7.5));

  // Two changes within the quiet time continue the series: the time begins again with each change.
  await stayHealthy(340);
  await flap(2);
  await stayHealthy(340);
  await flap(2);
  await stayHealthy(10);
  const continued = first.map(([reason]) => [reason, 62]);
  expect(counts()).toEqual(continued);

  await stayHealthy(360);
  await flap(20);
  await stayHealthy(10);
  expect(counts()).toEqual([...continued, ['HealthCheckFailing', 10], ['HealthCheckPassing', 10]]);
  expect(new Set(server.stored.keys()).size).toBe(4);
});
