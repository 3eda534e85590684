import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withoutCopies } from '../../../src/clock/signal-copies.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the same signal is a copy for a fifth of a second, another one is not', () => {
  const heard: string[] = [];
  const listener = withoutCopies((signal: string) => heard.push(signal));
  listener('SIGINT');
  vi.advanceTimersByTime(199);
  listener('SIGINT');
  expect(heard).toEqual(['SIGINT']);
  vi.advanceTimersByTime(1);
  listener('SIGINT');
  listener('SIGTERM');
  listener('SIGINT');
  expect(heard).toEqual(['SIGINT', 'SIGINT', 'SIGTERM', 'SIGINT']);
});
