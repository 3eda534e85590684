import { expect, test, vi } from 'vitest';
import { createFailureSeries } from '../../../../src/observe/failure-series.js';
import { createHistory } from '../../../../src/store/postgres/history.js';
import type { StoreParts } from '../../../../src/store/postgres/requests.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([800, 0])(
  'history written during compaction is included, with a bound of %i bytes',
  async (historyMaxBytes) => {
    const answers: (() => void)[] = [];
    const write = vi.fn(() => new Promise((resolve) => answers.push(() => resolve([{ passed: '0' }]))));
    const parts = {
      requests: { write } as unknown as StoreParts['requests'],
      schema: 's',
      timers: fakeClock(),
      clock: undefined,
    };
    const failures = { worked: () => undefined, failed: (error: unknown) => expect.unreachable(String(error)) };
    const history = createHistory(parts, failures, { historyMaxBytes });
    history.written(200);
    history.written(200);
    expect(write).toHaveBeenCalledTimes(1);
    answers.shift()?.();
    await turn();
    expect(write).toHaveBeenCalledTimes(2);
    answers.shift()?.();
    await turn();
    expect(write).toHaveBeenCalledTimes(2);
    await history.close();
  },
);

test('compaction that fails again and again is reported once, and when it works again', async () => {
  let fails = true;
  const write = async (): Promise<object[]> => {
    if (fails) throw new Error('the server is away');
    return [{ passed: '0' }];
  };
  const timers = fakeClock();
  const parts = {
    requests: { write } as unknown as StoreParts['requests'],
    schema: 's',
    timers,
    clock: undefined,
  };
  const seen: string[] = [];
  const failures = createFailureSeries('history of s', ({ type }) => void seen.push(type), timers);
  const history = createHistory(parts, failures, { historyMs: 20_000 });
  history.start();
  const run = async (): Promise<void> => {
    timers.advance(1_000);
    await turn();
  };
  await run();
  await run();
  expect(seen).toEqual(['error']);
  fails = false;
  await run();
  expect(seen).toEqual(['error', 'recovered']);
  await history.close();
});
