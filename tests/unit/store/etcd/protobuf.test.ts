import * as wire from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProtobuf } from '../../../../src/store/etcd/protobuf.js';

const codec = createProtobuf(wire);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');
const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** Golden bytes follow the field numbers of etcd's rpc.proto and kv.proto, worked out by hand. */
test('a range: key 1, range_end 2, limit 3, revision 4, sort 5 and 6, keys_only 8, max_mod_revision 11', () => {
  expect(hex(codec.encodeRange({ key: bytes('a') }))).toBe('0a0161');
  expect(
    hex(
      codec.encodeRange({
        key: bytes('a'),
        rangeEnd: bytes('b'),
        limit: 300,
        revision: 7,
        newestFirst: true,
        keysOnly: true,
        maxModRevision: 6,
      }),
    ),
  ).toBe('0a0161' + '120162' + '18ac02' + '2007' + '2802' + '3003' + '4001' + '5806');
});

test('a transaction: compare 1, success 2, failure 3; a compared zero is written', () => {
  const encoded = codec.encodeTxn({
    compare: [
      { key: bytes('k'), target: 'create', result: 'equal', value: 0 },
      { key: bytes('k'), target: 'mod', result: 'not-equal', value: 5 },
      { key: bytes('k'), target: 'version', result: 'less', value: 0 },
    ],
    success: [
      { type: 'put', key: bytes('k'), value: bytes('v') },
      { type: 'delete', key: bytes('k') },
    ],
    failure: [{ type: 'range', key: bytes('k') }],
  });
  expect(hex(encoded)).toBe(
    '0a07' +
      '1001' +
      '1a016b' +
      '2800' + // EQUAL is left out
      ('0a09' + '0803' + '1002' + '1a016b' + '3005') +
      ('0a07' + '0802' + '1a016b' + '2000') +
      ('1208' + '1206' + '0a016b' + '120176') +
      ('1207' + '1a05' + '0a016b' + '1801') +
      ('1a05' + '0a03' + '0a016b'),
  );
});

test('compaction, authentication and the beginning of a watch', () => {
  expect(hex(codec.encodeCompaction(150))).toBe('089601');
  expect(hex(codec.encodeAuthenticate('u', 'p'))).toBe('0a0175' + '120170');
  expect(hex(codec.encodeWatch({ key: bytes('a'), rangeEnd: bytes('b'), startRevision: 3 }))).toBe(
    '0a0e' + '0a0161' + '120162' + '1803' + '2001' + '3001' + '4001',
  );
});

test('the answer of a range, with fields nobody asked for', () => {
  // header { cluster_id 1: 1, revision 3: 9 }, kv { key, create 5, mod 6, version 2, value, lease 6: 1 }, more, count 3
  const answer = codec.decodeRange(
    unhex('0a04 0801 1809  120e 0a016b 1005 1806 2002 2a0176 3001 1801 2003'.replace('120e', '120e')),
  );
  expect(answer).toEqual({
    revision: 9,
    kvs: [{ key: bytes('k'), value: bytes('v'), createRevision: 5, modRevision: 6, version: 2 }],
    more: true,
    count: 3,
  });
  expect(codec.decodeRange(unhex('0a021809'))).toEqual({ revision: 9, kvs: [], more: false, count: 0 });
});

test('the answer of a transaction: what was put, read and deleted', () => {
  // put {}, range { kvs 2 }, delete_range { deleted 2, prev_kvs 3 }
  const answer = codec.decodeTxn(unhex('0a021809 1001 1a021200 1a070a05 12030a0172 1a091a07 1001 1a030a0164'));
  expect(answer.revision).toBe(9);
  expect(answer.succeeded).toBe(true);
  expect(answer.steps.map((kvs) => kvs.map(({ key }) => new TextDecoder().decode(key)))).toEqual([[], ['r'], ['d']]);
});

test('the answers of a watch', () => {
  expect(codec.decodeWatch(unhex('0a021809 1801 2001 2807 320167'))).toEqual({
    revision: 9,
    created: true,
    canceled: true,
    compactRevision: 7,
    cancelReason: 'g',
    fragment: false,
    events: [],
  });
  const { events, fragment } = codec.decodeWatch(unhex('3801 5a0c0801 12030a0161 1a030a0162 5a05 12030a0163'));
  expect(fragment).toBe(true);
  expect(events.map(({ type, kv, previous }) => [type, hex(kv.key), previous && hex(previous.key)])).toEqual([
    ['delete', '61', '62'],
    ['put', '63', undefined],
  ]);
  expect(codec.decodeAuthenticate(unhex('0a021809 120174'))).toBe('t');
});

test('revisions up to the largest safe integer, and any bytes, survive', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.uint8Array({ maxLength: 300 }),
      (revision, key) => {
        const writer = new wire.BinaryWriter();
        writer.tag(1, 2).fork().tag(3, 0).int64(revision).join();
        writer.tag(2, 2).fork().tag(1, 2).bytes(key).tag(3, 0).int64(revision).join();
        const { revision: read, kvs } = codec.decodeRange(writer.finish());
        expect(read).toBe(revision);
        expect(kvs[0]?.modRevision).toBe(revision);
        expect(hex(kvs[0]?.key ?? new Uint8Array(0))).toBe(hex(key));
      },
    ),
  );
});
