import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, listBody, type ListFrame } from '../../../../src/api/representation/list-chunks.js';

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

async function collect(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Buffer[] = [];
  for await (const chunk of body) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

describe('listBody', () => {
  it('is one array while it fits a chunk', async () => {
    const fixed = '{"items":[]}'.length;
    expect(await listBody(frame, [])).toEqual(encode('{"items":[]}'));
    const fits = await listBody(frame, [[item(CHUNK_BYTES - fixed)]]);
    expect((fits as Uint8Array).byteLength).toBe(CHUNK_BYTES);
    expect(await listBody(frame, [[item(CHUNK_BYTES + 1)]])).not.toBeInstanceOf(Uint8Array);
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
        },
      ),
      { numRuns: 25 },
    );
  });

  it('reuses one buffer and pulls a batch only when the chunk before was taken', async () => {
    let pulled = 0;
    async function* batches(): AsyncGenerator<readonly Uint8Array[]> {
      for (let i = 0; i < 10; i += 1) {
        pulled += 1;
        yield [item(100_000)];
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

  it('throws early what the batches throw early, and ends the source when the reader leaves', async () => {
    async function* failing(): AsyncGenerator<readonly Uint8Array[]> {
      yield [item(10)];
      throw new Error('history is gone');
    }
    await expect(listBody(frame, failing())).rejects.toThrow('history is gone');

    let ended = false;
    async function* endless(): AsyncGenerator<readonly Uint8Array[]> {
      try {
        for (;;) yield [item(50_000)];
      } finally {
        ended = true;
      }
    }
    for await (const chunk of (await listBody(frame, endless())) as AsyncIterable<Uint8Array>) {
      expect(chunk.byteLength).toBe(CHUNK_BYTES);
      break;
    }
    expect(ended).toBe(true);
  });

  it('ends the source when an item cannot be made', async () => {
    let ended = false;
    function* source(): Generator<readonly Uint8Array[]> {
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
