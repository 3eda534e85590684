import { describe, expect, test, vi } from 'vitest';
import { ChunkReader } from '../../../../src/bridge/exchange/chunk-reader.js';

/** A reader that notes what it is called with. */
class NotingReader extends ChunkReader {
  readonly log: unknown[] = [];
  protected onChunk(chunk: Uint8Array): void {
    this.log.push([...chunk]);
  }
  protected onEnd(): void {
    this.log.push('end');
  }
  protected onFailure(error: unknown): void {
    this.log.push(error);
  }
  leave(): void {
    this.release();
  }
}

/** A source whose iterators are counted and never give a chunk by themselves. */
function countedSource() {
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const pending = new Promise<never>(() => undefined);
  const made = vi.fn(() => ({ next: () => pending, return: returned }));
  return { source: { [Symbol.asyncIterator]: made }, made, returned };
}

describe('a reader that leaves its source', () => {
  test.each([
    ['before the first chunk', 0],
    ['while it waits for a chunk', 1],
  ])('ends the only iterator, once: %s', (_when, reads) => {
    const { source, made, returned } = countedSource();
    const reader = new NotingReader(source);
    for (let read = 0; read < reads; read++) reader.next();
    reader.leave();
    expect([made.mock.calls.length, returned.mock.calls.length]).toEqual([1, 1]);
  });

  test('ignores chunks, the end and failures that come later', () => {
    const reader = new NotingReader(countedSource().source);
    reader.next();
    reader.resolve({ done: false, value: new Uint8Array([1]) });
    reader.leave();
    reader.resolve({ done: false, value: new Uint8Array([2]) });
    reader.resolve({ done: true, value: undefined });
    reader.reject(new Error('late'));
    reader.next();
    expect(reader.log).toEqual([[1]]);
  });
});

describe('a source whose result is not one', () => {
  const hostile = (member: string): object => ({
    get [member]() {
      throw new Error(member);
    },
  });
  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'Cannot destructure'],
    ['an object whose `done` throws', hostile('done'), 'done'],
    ['an object whose `value` throws', hostile('value'), 'value'],
    ['text', { done: false, value: 'text' }, 'a streamed body must yield Uint8Array chunks'],
    [
      'a value that is only named like bytes',
      { value: { [Symbol.toStringTag]: 'Uint8Array' } },
      'a streamed body must',
    ],
    ['a Proxy of bytes', { done: false, value: new Proxy(new Uint8Array(1), {}) }, ''],
  ])('fails, and is released: %s', async (_what, result, message) => {
    const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
    const iterator = { next: () => Promise.resolve(result as IteratorResult<Uint8Array>), return: returned };
    const reader = new NotingReader({ [Symbol.asyncIterator]: () => iterator });
    reader.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.log).toEqual([expect.any(Error)]);
    expect((reader.log[0] as Error).message).toContain(message);
    expect(returned).toHaveBeenCalledOnce();
  });
});
