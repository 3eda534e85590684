import process from 'node:process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onSignals } from '../../../../src/bridge/node/process-signals.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the same signal is a copy for a fifth of a second, another one is not', () => {
  const heard: string[] = [];
  const stop = onSignals(['SIGUSR2', 'SIGHUP'], (signal) => heard.push(signal));
  process.emit('SIGUSR2', 'SIGUSR2');
  vi.advanceTimersByTime(199);
  process.emit('SIGUSR2', 'SIGUSR2');
  expect(heard).toEqual(['SIGUSR2']);
  vi.advanceTimersByTime(1);
  process.emit('SIGUSR2', 'SIGUSR2');
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGUSR2', 'SIGUSR2');
  expect(heard).toEqual(['SIGUSR2', 'SIGUSR2', 'SIGHUP', 'SIGUSR2']);
  stop();
  expect(process.emit('SIGHUP', 'SIGHUP')).toBe(false);
});
