import { describe, expect, test, vi } from 'vitest';
import { withinDeadline } from '../../../src/events/deadline.js';
import type { ApiResponse } from '../../../src/http/response.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { bench, path } from './bench.js';

const answer: ApiResponse = { status: 200, headers: {}, body: 'ok' };

describe('a deadline', () => {
  test('does nothing to work that is done in time', async () => {
    expect(await withinDeadline(Promise.resolve(answer), 1000, fakeClock())).toBe(answer);
    await expect(withinDeadline(Promise.reject(new Error('no')), 1000, fakeClock())).rejects.toThrow('no');
  });

  test('answers 504 in the form clients of the original know, and gives up what comes later', async () => {
    const clock = fakeClock();
    const given = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
    let finish: (response: ApiResponse) => void = () => undefined;
    const work = new Promise<ApiResponse>((resolve) => (finish = resolve));
    const late = withinDeadline(work, 1000, clock);
    clock.advance(1000);
    const response = await late;
    expect(response.status).toBe(504);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(JSON.parse(String(response.body))).toMatchObject({ reason: 'Timeout', code: 504, details: {} });
    const stream = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined), return: given }),
    };
    finish({ status: 200, headers: {}, body: stream });
    await work;
    expect(given).toHaveBeenCalledTimes(1);
  });

  test('is the one the request asked for, or 60 s', async () => {
    const { ask, clock } = bench({}, (store) => ({ ...store, get: () => new Promise<never>(() => undefined) }));
    for (const [query, ms] of [
      ['?timeout=2s', 2000],
      ['', 60_000],
      ['?timeout=5m', 60_000],
    ] as const) {
      const pending = ask(`GET ${path(`/a${query}`)}`);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(ms - 1);
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1);
      expect((await pending).status).toBe(504);
    }
  });
});
