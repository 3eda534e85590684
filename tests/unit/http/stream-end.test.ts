import { describe, expect, it, vi } from 'vitest';
import { onStreamEnd } from '../../../src/http/stream-end.js';

async function* chunks(...values: number[]): AsyncGenerator<Uint8Array> {
  for (const value of values) yield Promise.resolve(Uint8Array.of(value));
}

describe('the end of a stream', () => {
  it('is told once when everything was read', async () => {
    const onEnd = vi.fn();
    const read: number[] = [];
    for await (const chunk of onStreamEnd(chunks(1, 2), onEnd)) {
      expect(onEnd).not.toHaveBeenCalled();
      read.push(...chunk);
    }
    expect([read, onEnd.mock.calls.length]).toEqual([[1, 2], 1]);
  });

  it('is told when the consumer gives up, and the source is returned', async () => {
    const onEnd = vi.fn();
    const source = chunks(1, 2, 3);
    for await (const chunk of onStreamEnd(source, onEnd)) {
      expect(chunk).toEqual(Uint8Array.of(1));
      break;
    }
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(await source.next()).toEqual({ done: true, value: undefined });
  });

  it('is told when nothing was ever read', async () => {
    const onEnd = vi.fn();
    await onStreamEnd(chunks(1), onEnd)[Symbol.asyncIterator]().return?.();
    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('is told when the source fails, and the failure goes on', async () => {
    const onEnd = vi.fn();
    const failing = (async function* (): AsyncGenerator<Uint8Array> {
      yield* chunks(1);
      throw new Error('lost');
    })();
    const drain = async (): Promise<void> => {
      for await (const _ of onStreamEnd(failing, onEnd)) expect(onEnd).not.toHaveBeenCalled();
    };
    await expect(drain()).rejects.toThrow('lost');
    expect(onEnd).toHaveBeenCalledTimes(1);
  });
});
