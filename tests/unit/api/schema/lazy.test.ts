import { expect, test, vi } from 'vitest';
import { loadedOnce } from '../../../../src/api/schema/lazy.js';

test('calls before the value is loaded share one load, and later ones get the value itself', async () => {
  const load = vi.fn(() => Promise.resolve('loaded'));
  const value = loadedOnce(load);
  expect(await Promise.all([value(), value()])).toEqual(['loaded', 'loaded']);
  expect(value()).toBe('loaded');
  expect(load).toHaveBeenCalledOnce();
});

test('after a load that failed, the next call loads again', async () => {
  const load = vi.fn(() => Promise.resolve('loaded'));
  load.mockRejectedValueOnce(new Error('too many open files'));
  const value = loadedOnce(load);
  await expect(value()).rejects.toThrow('too many open files');
  expect(await value()).toBe('loaded');
});
