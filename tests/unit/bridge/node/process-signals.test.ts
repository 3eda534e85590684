import process from 'node:process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aListOfSignals, onSignals } from '../../../../src/bridge/node/process-signals.js';

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

test.each([
  ['nothing', undefined, []],
  ['an empty list', [], []],
  ['signals that a process can listen for', ['SIGTERM', 'SIGINT'], []],
  ['a text', 'SIGTERM', ['signals must be a list of non-empty strings']],
  ['a list with something else', ['SIGFOO', 15], ['signals must be a list of non-empty strings']],
  [
    'signals that no process can listen for, and one that does not exist',
    ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGFOO'],
    [
      'signals: no process can listen for SIGKILL',
      'signals: no process can listen for SIGSTOP',
      'signals: there is no signal "SIGFOO"',
    ],
  ],
])('the faults of a list of signals are named for %s', (_, value, faults) => {
  expect(aListOfSignals(value, 'signals')).toEqual(faults);
});
