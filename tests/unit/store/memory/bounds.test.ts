import { afterEach, expect, test, vi } from 'vitest';
import { createBounds } from '../../../../src/store/memory/bounds.js';

const MIB = 1_048_576;

afterEach(() => {
  vi.restoreAllMocks();
  vi.doUnmock('node:v8');
});

test.each([
  ['half of the heap limit without a container', 400 * MIB, 0, 200 * MIB],
  ['half of the heap limit where the container has no limit', 400 * MIB, 2 ** 64, 200 * MIB],
  ['half of the heap limit in a large container', 400 * MIB, 1024 * MIB, 200 * MIB],
  ['a quarter of a small container', 259 * MIB, 128 * MIB, 32 * MIB],
])('the default of maxBytes is %s', async (_title, heap, container, most) => {
  vi.doMock('node:v8', () => ({ getHeapStatistics: () => ({ heap_size_limit: heap }) }));
  vi.spyOn(process, 'constrainedMemory').mockReturnValue(container);
  const bounds = createBounds({});
  expect(bounds.maxBytes()).toBe(256 * MIB);
  await vi.waitFor(() => expect(bounds.maxBytes()).toBe(most));
});

test('maxBytes is what the option says, whatever the limits of the process', async () => {
  const bounds = createBounds({ maxBytes: 2 * MIB });
  await new Promise((resolve) => setImmediate(resolve));
  expect(bounds.maxBytes()).toBe(2 * MIB);
});
