import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { onAbort, untilAborted } from '../../../src/clock/abortable.js';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('all callbacks of a signal share one listener, and are called once', () => {
  const controller = new AbortController();
  const callbacks = Array.from({ length: 20 }, () => vi.fn());
  for (const callback of callbacks) onAbort(controller.signal, callback);
  expect(listeners(controller.signal)).toBe(1);
  controller.abort();
  // Node keeps the signals of AbortSignal.any in memory while they have a listener, also when they are aborted.
  expect(listeners(controller.signal)).toBe(0);
  controller.signal.dispatchEvent(new Event('abort'));
  for (const callback of callbacks) expect(callback).toHaveBeenCalledTimes(1);
});

test('a callback that was removed is not called', () => {
  const controller = new AbortController();
  const [first, second] = [vi.fn(), vi.fn()];
  const remove = onAbort(controller.signal, first);
  onAbort(controller.signal, second);
  remove();
  remove();
  expect(listeners(controller.signal)).toBe(1);
  controller.abort();
  expect([first, second].map((callback) => callback.mock.calls.length)).toEqual([0, 1]);
});

test('callbacks are added again after all were removed', () => {
  const controller = new AbortController();
  const [first, second] = [vi.fn(), vi.fn()];
  onAbort(controller.signal, first)();
  expect(listeners(controller.signal)).toBe(0);
  onAbort(controller.signal, second);
  controller.abort();
  expect([first, second].map((callback) => callback.mock.calls.length)).toEqual([0, 1]);
});

test('a signal that is already aborted calls back at once, and no signal never does', () => {
  const callback = vi.fn();
  onAbort(AbortSignal.abort(), callback)();
  expect(callback).toHaveBeenCalledTimes(1);
  onAbort(undefined, callback)();
  expect(callback).toHaveBeenCalledTimes(1);
});

test('a promise is waited for until its signal is aborted', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  expect(await untilAborted(Promise.resolve(1), controller.signal)).toBe(1);
  const waiting = untilAborted(new Promise(() => undefined), controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(untilAborted(new Promise(() => undefined), controller.signal)).rejects.toBe(reason);
});

test('all promises of one signal share one listener, which goes with the last of them', async () => {
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  const waiting = Array.from({ length: 20 }, () => untilAborted(new Promise<void>((end) => ends.push(end)), signal));
  expect(listeners(signal)).toBe(1);
  for (const end of ends) end();
  await Promise.all(waiting);
  expect(listeners(signal)).toBe(0);
});
