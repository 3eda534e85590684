import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, createChunkMemory, type PooledBytes } from '../../../../src/api/representation/chunk-memory.js';
import { JsonPieces, type JsonSource } from '../../../../src/json/json-source.js';
import { listBody, type ListFrame } from '../../../../src/api/representation/list-chunks.js';
import type { SerializedBody } from '../../../../src/api/representation/serializer.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const frame: ListFrame = {
  head: encode('{"items":'),
  open: encode('['),
  between: encode(','),
  close: encode(']}'),
  empty: encode('[]}'),
  item: (json) => json,
};

const item = (bytes: number): Uint8Array => encode(`"${'x'.repeat(bytes - 2)}"`);

async function collect(body: SerializedBody): Promise<string> {
  if ('release' in body) {
    const text = Buffer.from(body.bytes).toString();
    body.release();
    return text;
  }
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Buffer[] = [];
  for await (const chunk of body) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

/** The bytes, written on demand. */
const written = (bytes: Uint8Array): JsonSource => ({
  byteLength: bytes.byteLength,
  writeTo: (out, at) => out.set(bytes, at),
});
const sometimes = (bytes: Uint8Array, index: number): JsonSource => (index % 2 === 0 ? bytes : written(bytes));

const memory = createChunkMemory();
const asItIs: ListFrame = { ...frame, item: undefined };

describe('listBody', () => {
  it('is one array while it fits into a chunk', async () => {
    const fixed = '{"items":[]}'.length;
    expect(await listBody(frame, [])).toEqual(encode('{"items":[]}'));
    const fits = await listBody(frame, [[item(CHUNK_BYTES - fixed)]]);
    expect((fits as Uint8Array).byteLength).toBe(CHUNK_BYTES);
    expect(await listBody(frame, [[item(CHUNK_BYTES + 1)]])).not.toBeInstanceOf(Uint8Array);
  });

  it('is synchronous if the items are, and fit into a chunk as they are', () => {
    const fixed = '{"items":[]}'.length;
    const text = (items: Uint8Array[]): string => {
      const body = listBody(asItIs, [items], memory);
      if (!('release' in body)) return Buffer.from(body as Uint8Array).toString();
      const joined = Buffer.from(body.bytes).toString();
      body.release();
      return joined;
    };
    expect(text([])).toBe('{"items":[]}');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 9000 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        const items = sizes.map(item);
        expect(text(items)).toBe(`{"items":[${items.map((bytes) => Buffer.from(bytes).toString()).join(',')}]}`);
      }),
      { numRuns: 50 },
    );
    expect(listBody(asItIs, [[item(CHUNK_BYTES - fixed)]])).toBeInstanceOf(Uint8Array);
    expect(Symbol.asyncIterator in listBody(asItIs, [[item(CHUNK_BYTES - fixed + 1)]])).toBe(true);
  });

  it('writes the same bytes whatever the sizes of batches and items', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 2, max: 200_000 }), { maxLength: 4 }), { maxLength: 5 }),
        async (sizes) => {
          const batches = sizes.map((batch) => batch.map(item));
          const expected = `{"items":[${batches
            .flat()
            .map((bytes) => Buffer.from(bytes).toString())
            .join(',')}]}`;
          expect((await collect(await listBody(frame, batches))) === expected).toBe(true);
          // Twice, so that the second is written to the memory that the first has released.
          expect((await collect(await listBody(frame, batches, memory))) === expected).toBe(true);
          expect((await collect(await listBody(frame, batches, memory))) === expected).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('sends long bytes as they are, and joins short ones and those written on demand into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 2, max: 200_000 }), { minLength: 1, maxLength: 4 }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (batches) => {
          const text = batches.map((sizes) => sizes.map((size) => `"${'x'.repeat(size - 2)}"`));
          const pieces = text.map((items) => items.map((one, at) => encode(at < items.length - 1 ? `${one},` : one)));
          for (const made of [(piece: Uint8Array): JsonSource => piece, written, sometimes]) {
            const body = await listBody(
              asItIs,
              pieces.map((parts) => [new JsonPieces(parts.map(made))]),
              memory,
            );
            expect((await collect(body)) === `{"items":[${text.flat().join(',')}]}`).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
    const large = item(100_000);
    const chunks: Uint8Array[] = [];
    const body = await listBody(asItIs, [[new JsonPieces([large, large])]], memory);
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(chunks.filter((chunk) => chunk === large)).toHaveLength(2);
  });

  it('lends memory that is reused after it was released', async () => {
    const memory = createChunkMemory();
    const list = async (bytes: number): Promise<SerializedBody> => listBody(frame, [[item(bytes)]], memory);
    expect(await list(10)).toBeInstanceOf(Uint8Array);
    const pooled = async (bytes: number): Promise<{ bytes: Uint8Array; release(): void }> => {
      const body = await list(bytes);
      if (!('release' in body)) throw new Error('not pooled');
      return body;
    };
    const [one, other] = [await pooled(10_000), await pooled(15_000)];
    expect(one.bytes.buffer).not.toBe(other.bytes.buffer);
    expect(one.bytes.buffer.byteLength).toBe(one.bytes.byteLength);
    // After the first release, memory is allocated in sizes that can be reused.
    one.release();
    const third = await pooled(CHUNK_BYTES - 12);
    const fourth = await pooled(100_000);
    expect(third.bytes.buffer).not.toBe(fourth.bytes.buffer);
    third.release();
    third.release();
    const fifth = await pooled(80_000);
    const sixth = await pooled(CHUNK_BYTES - 12);
    expect(fifth.bytes.buffer).toBe(third.bytes.buffer);
    expect(sixth.bytes.buffer).not.toBe(third.bytes.buffer);
    expect(sixth.bytes.byteLength).toBe(CHUNK_BYTES);
    // A short response does not take the memory of a long one.
    sixth.release();
    expect((await pooled(40_000)).bytes.buffer).not.toBe(sixth.bytes.buffer);
  });

  it('reuses memory for each of 32 responses that are sent together, once there were as many', () => {
    const memory = createChunkMemory();
    const batch = (): Set<ArrayBufferLike> => {
      const responses = Array.from({ length: 32 }, () => memory.allocate(28_000) as PooledBytes);
      for (const { release } of responses) release();
      return new Set(responses.map(({ bytes }) => bytes.buffer));
    };
    batch();
    const second = batch();
    expect(second.size).toBe(32);
    expect(batch()).toEqual(second);
  });

  it('reuses the chunk of a stream that was read to its end, and no other', async () => {
    const memory = createChunkMemory();
    const streamed = async (): Promise<AsyncIterable<Uint8Array>> =>
      (await listBody(
        frame,
        [[written(item(100_000))], [written(item(100_000))]],
        memory,
      )) as AsyncIterable<Uint8Array>;
    let left: ArrayBufferLike | undefined;
    for await (const chunk of await streamed()) {
      left = chunk.buffer;
      break;
    }
    let read: ArrayBufferLike | undefined;
    for await (const chunk of await streamed()) read = chunk.buffer;
    expect(read).not.toBe(left);
    for await (const chunk of await streamed()) expect(chunk.buffer).toBe(read);
  });

  it('reuses one buffer and pulls a batch only when the previous chunk was consumed', async () => {
    let pulled = 0;
    async function* batches(): AsyncGenerator<readonly JsonSource[]> {
      for (let i = 0; i < 10; i += 1) {
        pulled += 1;
        yield [written(item(100_000))];
      }
    }
    const body = (await listBody(frame, batches())) as AsyncIterable<Uint8Array>;
    expect(pulled).toBe(2);
    const buffers = new Set<ArrayBufferLike>();
    let chunks = 0;
    for await (const chunk of body) {
      chunks += 1;
      buffers.add(chunk.buffer);
      expect(chunk.byteLength).toBeLessThanOrEqual(CHUNK_BYTES);
      expect(pulled).toBeLessThanOrEqual(chunks * 2);
    }
    expect(buffers.size).toBe(1);
    expect(pulled).toBe(10);
  });

  it('throws early errors of the batches early, and ends the source when the reader leaves', async () => {
    async function* failing(): AsyncGenerator<readonly Uint8Array[]> {
      yield [item(10)];
      throw new Error('history is gone');
    }
    await expect(listBody(frame, failing())).rejects.toThrow('history is gone');

    let ended = false;
    async function* endless(): AsyncGenerator<readonly JsonSource[]> {
      try {
        for (;;) yield [written(item(16_383))];
      } finally {
        ended = true;
      }
    }
    for await (const chunk of (await listBody(frame, endless())) as AsyncIterable<Uint8Array>) {
      expect(chunk.byteLength).toBeLessThanOrEqual(CHUNK_BYTES);
      expect(chunk.byteLength).toBeGreaterThan(CHUNK_BYTES - 16_384);
      break;
    }
    expect(ended).toBe(true);
  });

  it('ends the source when an item cannot be written', async () => {
    let ended = false;
    async function* source(): AsyncGenerator<readonly Uint8Array[]> {
      try {
        yield [item(10)];
      } finally {
        ended = true;
      }
    }
    const broken: ListFrame = {
      ...frame,
      item() {
        throw new Error('broken item');
      },
    };
    await expect(listBody(broken, source())).rejects.toThrow('broken item');
    expect(ended).toBe(true);
  });
});
