import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonBytes, JsonPieces, writeJson, writePieces, type JsonSource } from '../../../src/json/json-source.js';

/** JSON that is written on demand. */
const written = (bytes: Uint8Array): JsonSource => ({
  byteLength: bytes.length,
  writeTo: (out, at) => out.set(bytes, at),
});

it('bytes are themselves, and what is written on demand is written once it is needed', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(jsonBytes(bytes)).toBe(bytes);
  expect(jsonBytes(written(bytes))).toEqual(bytes);
});

it('pieces of all kinds are written one after the other', () => {
  const piece = fc.tuple(fc.uint8Array({ maxLength: 5 }), fc.constantFrom('bytes', 'writer', 'pieces'));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), fc.nat(3), (parts, at) => {
      const sources = parts.map(([bytes, kind]): JsonSource => {
        if (kind === 'bytes') return bytes;
        return kind === 'writer' ? written(bytes) : new JsonPieces([bytes.subarray(0, 1), bytes.subarray(1)]);
      });
      const expected = Buffer.concat(parts.map(([bytes]) => bytes));
      const all = new JsonPieces(sources);
      expect(all.byteLength).toBe(expected.length);
      expect(Buffer.from(jsonBytes(all))).toEqual(expected);
      for (const write of [
        (out: Uint8Array) => writePieces(sources, out, at),
        (out: Uint8Array) => writeJson(all, out, at),
      ]) {
        const out = new Uint8Array(at + expected.length + 1).fill(0xff);
        write(out);
        expect(Buffer.from(out)).toEqual(Buffer.concat([Buffer.alloc(at, 0xff), expected, Buffer.of(0xff)]));
      }
    }),
  );
});
