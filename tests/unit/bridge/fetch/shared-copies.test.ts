import { describe, expect, test, vi } from 'vitest';
import { toFetchHandler } from '../../../../src/fetch.js';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Watches that are all sent the chunks of one list, as watchers that are woken together. */
async function watches(count: number) {
  const chunks: Uint8Array[] = [];
  const streams: ParkedIterator<Uint8Array>[] = [];
  const ended = vi.fn();
  const errors: unknown[] = [];
  const handler = toFetchHandler(
    () => {
      let taken = 0;
      const body = new ParkedIterator<Uint8Array>({ poll: () => chunks[taken++] ?? void (taken -= 1), onEnd: ended });
      streams.push(body);
      return { status: 200, headers: {}, body };
    },
    { onError: (error) => void errors.push(error) },
  );
  const readers: Reader[] = [];
  for (let index = 0; index < count; index++) {
    const response = await handler(new Request('http://host/'));
    readers.push((response?.body as ReadableStream<Uint8Array>).getReader());
  }
  const send = (text: string): Uint8Array => {
    const chunk = bytes(text);
    chunks.push(chunk);
    for (const stream of streams) stream.wake();
    return chunk;
  };
  return { readers, send, ended, errors };
}

const next = async (reader: Reader): Promise<Uint8Array> => (await reader.read()).value ?? new Uint8Array(0);
const texts = (chunks: readonly Uint8Array[]): string[] => chunks.map((chunk) => Buffer.from(chunk).toString());

/** What a stream of bytes does with a chunk that is put into it. */
const transfer = (chunk: Uint8Array): Uint8Array =>
  new Uint8Array(structuredClone(chunk.buffer as ArrayBuffer, { transfer: [chunk.buffer as ArrayBuffer] }));

describe('the chunks of watches', () => {
  test('begin with an empty one where there is nothing to send, because many servers send the headers with the first', async () => {
    const { readers, send } = await watches(1);
    const [reader] = readers as [Reader];
    expect(await reader.read()).toEqual({ done: false, value: new Uint8Array(0) });
    const read = next(reader);
    await settled();
    send('one');
    expect(texts([await read])).toEqual(['one']);
  });

  test('begin with no empty one where the watch has ended or sent something before', async () => {
    const { readers, send, ended, errors } = await watches(2);
    const [first, second] = readers as [Reader, Reader];
    const read = first.read();
    await first.cancel();
    expect(await read).toEqual({ done: true, value: undefined });
    send('one');
    expect(texts([await next(second)])).toEqual(['one']);
    const later = next(second);
    await settled();
    send('two');
    expect(texts([await later])).toEqual(['two']);
    expect([ended.mock.calls.length, errors]).toEqual([1, []]);
  });

  test('are one copy for all watches that are sent the same chunk, and not the chunk itself', async () => {
    const { readers, send } = await watches(3);
    const reads = readers.map(next);
    const chunk = send('one');
    const given = await Promise.all(reads);
    expect(texts(given)).toEqual(['one', 'one', 'one']);
    expect(new Set(given).size).toBe(1);
    expect(given[0]?.buffer).not.toBe(chunk.buffer);
    const later = readers.map(next);
    send('two');
    expect(texts(await Promise.all(later))).toEqual(['two', 'two', 'two']);
  });

  test('break off a watch when another consumer has transferred the copy, and are no longer shared', async () => {
    const { readers, send, ended, errors } = await watches(4);
    const [first, second, third, fourth] = readers as [Reader, Reader, Reader, Reader];
    const reads = [next(first), next(second)];
    send('one');
    transfer((await Promise.all(reads))[0] as Uint8Array);
    await expect(second.read()).rejects.toThrow('the response body failed');
    expect(errors).toMatchObject([{ name: 'TypeError', message: expect.stringMatching(/transferred/) as string }]);
    expect(ended).toHaveBeenCalledOnce();

    // These read later, and lose nothing.
    for (const text of ['one', 'two']) {
      const given = Promise.all([next(third), next(fourth)]);
      if (text === 'two') send(text);
      expect(texts((await given).map(transfer))).toEqual([text, text]);
    }
    expect(errors).toHaveLength(1);
  });

  test('may be transferred where there is a single watch', async () => {
    const { readers, send, errors } = await watches(1);
    const [reader] = readers as [Reader];
    for (const text of ['one', 'two', 'three']) {
      const read = next(reader);
      send(text);
      expect(texts([transfer(await read)])).toEqual([text]);
      await settled();
    }
    expect(errors).toEqual([]);
  });
});
