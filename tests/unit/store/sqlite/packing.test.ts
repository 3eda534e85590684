import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import { createPacker, createUnpacker } from '../../../../src/store/sqlite/packing.js';
import {
  packWrite,
  READ_RESPONSE,
  READS,
  unpackWrite,
  WRITE_RESPONSE,
  WRITES,
} from '../../../../src/store/sqlite/protocol.js';
import { put, query, remove, text } from './sync-store-bench.js';

describe('packing', () => {
  test('returns what was packed, however much there is', () => {
    const value = fc.oneof(fc.double(), fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 5000 }));
    fc.assert(
      fc.property(fc.array(value), fc.nat(64), (values, expectedBytes) => {
        const packer = createPacker(expectedBytes);
        for (const one of values) {
          if (typeof one === 'number') packer.number(one);
          else if (typeof one === 'string') packer.text(one);
          else packer.bytes(one);
        }
        const message = packer.finish();
        const unpacker = createUnpacker(new Uint8Array(message));
        for (const one of values) {
          if (typeof one === 'number') expect(unpacker.number()).toBe(one);
          else if (typeof one === 'string') expect(unpacker.text()).toBe(one);
          else expect(unpacker.bytes()).toEqual(one);
        }
      }),
    );
  });
});

test('a buffer that was taken is unchanged, wherever the packer continues', () => {
  const value = fc.oneof(fc.double(), fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(fc.array(fc.array(value)), fc.nat(500), (messages, bufferBytes) => {
      const packer = createPacker(bufferBytes);
      const cuts = messages.map((values) => {
        for (const one of values) {
          if (typeof one === 'number') packer.number(one);
          else if (typeof one === 'string') packer.text(one);
          else packer.bytes(one);
        }
        return packer.cut();
      });
      for (const [index, values] of messages.entries()) {
        const unpacker = createUnpacker(cuts[index] as Uint8Array);
        for (const one of values) {
          if (typeof one === 'number') expect(unpacker.number()).toBe(one);
          else if (typeof one === 'string') expect(unpacker.text()).toBe(one);
          else expect(unpacker.bytes()).toEqual(one);
        }
      }
    }),
  );
});

describe('messages', () => {
  test('carry writes both ways', () => {
    const operations = [
      put('a'),
      { ...put('b', { expected: 7 }), regardingName: undefined, expiresAt: Infinity },
      remove('a'),
      remove('a', 9),
      { kind: 'expire' as const, dueAt: 5, limit: 6 },
      { kind: 'prune' as const, limit: 7 },
    ];
    const packer = createPacker();
    const packed = operations.map((operation) => packWrite(packer, operation));
    const message = WRITES.unpack(WRITES.pack({ operations: packed, now: 123, withPrevious: true }));
    expect({ ...message, operations: message.operations.map(unpackWrite) }).toEqual({
      operations,
      now: 123,
      withPrevious: true,
    });
  });

  test('carry texts that are not bytes yet', () => {
    const { key, regardingName, sidecar, ...rest } = put('ž');
    const packed = packWrite(createPacker(8), {
      ...rest,
      key: 'default/ž',
      regardingName: text(regardingName as Uint8Array),
      sidecar: text(sidecar),
    });
    expect(unpackWrite(packed)).toEqual({ key, regardingName, sidecar, ...rest });
  });

  test('carry the results of writes', () => {
    const { key, sidecar, data } = put('a');
    const record = { revision: 5, key, expiresAt: 6, sidecar, data };
    const results = [
      { kind: 'written' as const, revision: 3, previous: undefined },
      { kind: 'written' as const, revision: 6, previous: record },
      { kind: 'count' as const, count: 4 },
      storeError('expired', 'too old', { current: 8 }),
      storeError('exists', 'there'),
    ];
    const answer = WRITE_RESPONSE.unpack(WRITE_RESPONSE.pack({ results, nextDue: undefined }));
    expect(answer).toEqual({ results, nextDue: undefined });
    expect(answer.results[3]).toMatchObject({ code: 'expired', message: 'too old', current: 8 });
  });

  test('carry reads both ways', () => {
    const full = query({
      namespace: put('a').key,
      terms: [{ field: 'type', value: 'ž' }],
      at: 5,
      after: { key: put('b').key, revision: 9 },
      newestFirst: true,
    });
    const operations = [
      { kind: 'get' as const, given: put('a').key },
      { kind: 'list' as const, given: query() },
      { kind: 'list' as const, given: full },
      { kind: 'changes' as const, given: 4 },
      { kind: 'revision' as const, given: undefined },
      { kind: 'ping' as const, given: undefined },
    ];
    expect(READS.unpack(READS.pack(operations))).toEqual(operations);
  });

  test('carry what was read', () => {
    const { key, sidecar, data } = put('a');
    const record = { revision: 5, key, expiresAt: Infinity, sidecar, data };
    const next = { key, revision: 9 };
    const results = [
      { kind: 'get' as const, value: record },
      { kind: 'get' as const, value: undefined },
      { kind: 'list' as const, value: { revision: 7, records: [record, record], next, remaining: 3 } },
      { kind: 'list' as const, value: { revision: 7, records: [], next: undefined, remaining: undefined } },
      { kind: 'changes' as const, value: [{ deleted: true, record, previous: record }] },
      { kind: 'revision' as const, value: 8 },
      { kind: 'ping' as const, value: undefined },
      storeError('future-revision', 'later', { current: 8, onlyWrites: true }),
    ];
    expect(READ_RESPONSE.unpack(READ_RESPONSE.pack(results))).toEqual(results);
  });
});
