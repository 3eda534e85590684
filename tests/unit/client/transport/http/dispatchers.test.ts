import { afterEach, expect, test, vi } from 'vitest';
import { createDispatchers } from '../../../../../src/client/transport/http/dispatchers.js';

afterEach(() => {
  vi.doUnmock('undici/index.js');
});

test('a call after one for which undici could not be loaded loads it again', async () => {
  vi.doMock('undici/index.js', () => {
    throw new Error('too many open files');
  });
  const dispatchers = createDispatchers({ server: 'http://127.0.0.1:1', maxConnections: 1, maxHeaderBytes: 1_024 });
  await expect(dispatchers.get({})).rejects.toThrow();
  vi.doUnmock('undici/index.js');
  expect(await dispatchers.get({})).toBeDefined();
  await dispatchers.destroy(new Error('the test has ended'));
});
