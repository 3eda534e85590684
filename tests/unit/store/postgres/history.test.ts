import { expect, test, vi } from 'vitest';
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
      onError: (error: unknown) => expect.unreachable(String(error)),
    };
    const history = createHistory(parts, { historyMaxBytes });
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
