import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  acceptsGzip,
  compressed,
  COMPRESSION_THRESHOLD,
  gzipBytes,
  gzipStream,
} from '../../../src/http/compression.js';
import type { ApiResponse } from '../../../src/http/response.js';

const response = (body: Uint8Array, headers: ApiResponse['headers'] = {}): Parameters<typeof compressed>[0] => ({
  status: 200,
  headers,
  body,
});

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

describe('acceptsGzip', () => {
  it.each([
    ['gzip', true],
    ['deflate, gzip', true],
    ['gzip;q=1.0', false],
    ['*', false],
    ['br', false],
    ['', false],
    [undefined, false],
  ])('parses the header %s: %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

describe('compressed', () => {
  it('leaves bodies up to the threshold unchanged', () => {
    const original = response(new Uint8Array(COMPRESSION_THRESHOLD));
    expect(compressed(original, 'gzip')).toBe(original);
  });

  it('compresses larger bodies and sets Content-Encoding', async () => {
    const bytes = new Uint8Array(COMPRESSION_THRESHOLD + 1).fill(97);
    const result = await compressed(response(bytes, { 'content-type': 'a/b' }), 'gzip');
    expect(result.headers).toEqual({ 'content-type': 'a/b', 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(result.body as Uint8Array).equals(bytes)).toBe(true);
  });

  it('leaves everything unchanged for clients without gzip', () => {
    const original = response(new Uint8Array(COMPRESSION_THRESHOLD * 2));
    expect(compressed(original, 'br')).toBe(original);
  });
});

describe('gzipStream', () => {
  it('requests the next chunk only after the previous one was consumed', async () => {
    const buffer = new Uint8Array(70_000);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 20; i += 1) {
        buffer.fill(i);
        yield buffer;
      }
    }
    const plain = gunzipSync(await collect(gzipStream(source())));
    expect(plain.byteLength).toBe(20 * 70_000);
    for (let i = 0; i < 20; i += 1) {
      expect(plain.subarray(i * 70_000, (i + 1) * 70_000).every((byte) => byte === i)).toBe(true);
    }
  });

  it('rethrows errors of the source', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      throw new Error('the store went away');
    }
    await expect(collect(gzipStream(source()))).rejects.toThrow('the store went away');
  });

  it.each([
    ['at once', 0],
    ['while a write waits for it', 2_000_000],
  ])('ends the source when the reader leaves %s', async (_, bytes) => {
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield randomBytes(60_000);
      } finally {
        ended();
      }
    }
    for await (const chunk of gzipStream(source())) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      // Takes longer than what zlib does before the reader asks for the next chunk.
      if (bytes > 0) await gzipBytes(randomBytes(bytes));
      break;
    }
    await end;
  });
});
