import { expect, test } from 'vitest';
import { pauseUntilSent, pauseWhenWritten } from '../../../../src/bridge/exchange/paused-reading.js';

/** A response on a connection, and what is done with its socket. */
function createBench(encrypted: boolean, writableNeedDrain: boolean) {
  const calls: string[] = [];
  const listeners = new Map<string, () => void>();
  const socket = {
    encrypted,
    writableNeedDrain,
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  };
  const once = (event: string, listener: () => void): void => void listeners.set(event, listener);
  return { res: { socket, once }, calls, emit: (event: string) => listeners.get(event)?.(), listeners };
}

test('a TLS connection is not read until a large response has been sent', () => {
  const { res, calls, emit } = createBench(true, true);
  pauseUntilSent(res);
  expect(calls).toEqual(['pause']);
  emit('finish');
  expect(calls).toEqual(['pause', 'resume']);
});

test.each([
  ['without TLS', createBench(false, true)],
  ['with a small response', createBench(true, false)],
])('a connection %s is read on', (_, { res, calls, listeners }) => {
  pauseUntilSent(res);
  expect([calls, listeners.size]).toEqual([[], 0]);
});

test('a response of another program is watched until it is written, on TLS connections only', () => {
  const { res, calls, emit } = createBench(true, true);
  pauseWhenWritten(res);
  expect(calls).toEqual([]);
  emit('prefinish');
  expect(calls).toEqual(['pause']);
  const plain = createBench(false, true);
  pauseWhenWritten(plain.res);
  expect(plain.listeners.size).toBe(0);
  expect(() => pauseWhenWritten({ socket: null, once: plain.res.once })).not.toThrow();
  expect(() => pauseUntilSent({ socket: null, once: plain.res.once })).not.toThrow();
});
