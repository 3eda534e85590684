import * as wire from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection, RangeRequest, TxnRequest } from '../../../../src/store/etcd/connection.js';
import { loadJsonCodec, loadProtobufCodec, type RpcCodec } from '../../../../src/store/etcd/rpc-codec.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');
const unhex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));

type Calls = Pick<Connection, 'range' | 'txn' | 'compact' | 'bytesInUse' | 'authenticate'>;

/** Makes one call. Returns what it sends and where, and what it reads from the response. */
async function exchange<Sent, T>(
  codec: RpcCodec<Sent>,
  make: (calls: Calls) => { readonly done: Promise<T> },
  answer: Sent,
): Promise<{ readonly where: readonly string[]; readonly sent: Sent; readonly read: T }> {
  let where: readonly string[] = [];
  let sent: Sent | undefined;
  const calls = codec.calls(({ method, path }, request, read) => {
    [where, sent] = [[method, path], request];
    return { done: Promise.resolve().then(() => read(answer)), cancel: () => undefined };
  });
  const read = await make(calls).done;
  return { where, sent: sent as Sent, read };
}

const range: RangeRequest = {
  key: bytes('a'),
  rangeEnd: bytes('b'),
  limit: 300,
  revision: 7,
  keysOnly: true,
};
const txn: TxnRequest = {
  compare: [
    { key: bytes('k'), revision: 0 },
    { key: bytes('k'), revision: 5 },
  ],
  success: [
    { type: 'put', key: bytes('k'), value: bytes('v') },
    { type: 'delete', key: bytes('k') },
  ],
  failure: [{ type: 'range', key: bytes('k') }],
};
const watch = { key: bytes('a'), rangeEnd: bytes('b'), startRevision: 3 };

/** Golden bytes follow the field numbers of etcd's rpc.proto and kv.proto, worked out by hand. */
describe('messages in protobuf', async () => {
  const codec = await loadProtobufCodec();
  const sentBy = async (make: Parameters<typeof exchange>[1]): Promise<string> =>
    hex((await exchange(codec, make, new Uint8Array(0))).sent);

  it('have the numbers of etcd in a range: 1, 2, 3, 4, and keys_only 8', async () => {
    expect(await sentBy((calls) => calls.range({ key: bytes('a') }, undefined))).toBe('0a0161');
    expect(await sentBy((calls) => calls.range(range, undefined))).toBe(
      '0a0161' + '120162' + '18ac02' + '2007' + '4001',
    );
  });

  it('have the numbers of etcd in a transaction, where a compared zero is written', async () => {
    expect(await sentBy((calls) => calls.txn(txn, undefined))).toBe(
      '0a07' +
        '1002' +
        '1a016b' +
        '3000' + // EQUAL is left out
        ('0a07' + '1002' + '1a016b' + '3005') +
        ('1208' + '1206' + '0a016b' + '120176') +
        ('1207' + '1a05' + '0a016b' + '1801') +
        ('1a05' + '0a03' + '0a016b'),
    );
  });

  it('have the numbers of etcd in a compaction, an authentication, a status and the beginning of a watch', async () => {
    expect(await sentBy((calls) => calls.compact(150, undefined))).toBe('089601');
    expect(await sentBy((calls) => calls.authenticate('u', 'p'))).toBe('0a0175' + '120170');
    expect(await sentBy((calls) => calls.bytesInUse(undefined))).toBe('');
    expect(hex(codec.encodeWatch(watch))).toBe('0a0e' + '0a0161' + '120162' + '1803' + '2001' + '3001' + '4001');
  });

  it('are sent to the services of etcd', async () => {
    const methodOf = async (make: Parameters<typeof exchange>[1]): Promise<string | undefined> =>
      (await exchange(codec, make, new Uint8Array(0))).where[0];
    expect([
      await methodOf((calls) => calls.range(range, undefined)),
      await methodOf((calls) => calls.txn(txn, undefined)),
      await methodOf((calls) => calls.compact(1, undefined)),
      await methodOf((calls) => calls.bytesInUse(undefined)),
      await methodOf((calls) => calls.authenticate('u', 'p')),
    ]).toEqual(['KV/Range', 'KV/Txn', 'KV/Compact', 'Maintenance/Status', 'Auth/Authenticate']);
  });

  it('are read from the response to a range, which has fields that were not requested', async () => {
    // header { cluster_id 1: 1, revision 3: 9 }, kv { key, create 5, mod 6, version 2, value, lease 6: 1 }, more, count 3
    const full = unhex('0a04 0801 1809  120e 0a016b 1005 1806 2002 2a0176 3001 1801 2003');
    const ask = (calls: Calls): ReturnType<Calls['range']> => calls.range(range, undefined);
    expect((await exchange(codec, ask, full)).read).toEqual({
      revision: 9,
      kvs: [{ key: bytes('k'), value: bytes('v'), createRevision: 5, modRevision: 6, version: 2 }],
      more: true,
      count: 3,
    });
    const empty = (await exchange(codec, ask, unhex('0a021809'))).read;
    expect(empty).toEqual({ revision: 9, kvs: [], more: false, count: 0 });
  });

  it('are read from the response to a transaction: what was put, read and deleted', async () => {
    // put {}, range { kvs 2 }, delete_range { deleted 2, prev_kvs 3 }
    const answer = unhex('0a021809 1001 1a021200 1a070a05 12030a0172 1a091a07 1001 1a030a0164');
    const { read } = await exchange(codec, (calls) => calls.txn(txn, undefined), answer);
    expect(read).toMatchObject({ revision: 9, succeeded: true });
    expect(read.steps.map((kvs) => kvs.map(({ key }) => text(key)))).toEqual([[], ['r'], ['d']]);
  });

  it('are read from the responses of a watch', () => {
    expect(codec.decodeWatch(unhex('0a021809 1801 2001 2807 320167'))).toEqual({
      revision: 9,
      created: true,
      canceled: true,
      compactRevision: 7,
      cancelReason: 'g',
      fragment: false,
      events: [],
    });
    const { events, fragment } = codec.decodeWatch(unhex('3801 5a0c0801 12030a0161 1a030a0162 5a05 12030a0163 5a00'));
    expect(fragment).toBe(true);
    expect(events.map(({ type, kv, previous }) => [type, text(kv.key), previous && text(previous.key)])).toEqual([
      ['delete', 'a', 'b'],
      ['put', 'c', undefined],
      ['put', '', undefined],
    ]);
  });

  it('are read from the responses to an authentication and to a status, which has the bytes in use since etcd 3.4', async () => {
    const login = await exchange(codec, (calls) => calls.authenticate('u', 'p'), unhex('0a021809 120174'));
    expect(login.read).toBe('t');
    const ask = (calls: Calls): ReturnType<Calls['bytesInUse']> => calls.bytesInUse(undefined);
    expect((await exchange(codec, ask, unhex('1807 4805'))).read).toBe(5);
    expect((await exchange(codec, ask, unhex('1807'))).read).toBe(7);
  });

  it('keep revisions up to the largest safe integer, and any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        fc.uint8Array({ maxLength: 300 }),
        async (revision, key) => {
          const writer = new wire.BinaryWriter();
          writer.tag(1, 2).fork().tag(3, 0).int64(revision).join();
          writer.tag(2, 2).fork().tag(1, 2).bytes(key).tag(3, 0).int64(revision).join();
          const { read } = await exchange(codec, (calls) => calls.range({ key }, undefined), writer.finish());
          expect(read.revision).toBe(revision);
          expect(read.kvs[0]?.modRevision).toBe(revision);
          expect(hex(read.kvs[0]?.key ?? new Uint8Array(0))).toBe(hex(key));
        },
      ),
    );
  });
});

describe('messages in the JSON of the gateway', async () => {
  const codec = await loadJsonCodec();
  const sentBy = async (make: Parameters<typeof exchange>[1]): Promise<unknown> =>
    JSON.parse(JSON.stringify((await exchange<unknown, unknown>(codec, make, {})).sent));

  it('have bytes as base64, 64-bit integers as strings, enums by name, and nothing for what is absent', async () => {
    expect(await sentBy((calls) => calls.range({ key: bytes('a') }, undefined))).toEqual({ key: 'YQ==' });
    expect(await sentBy((calls) => calls.range({ ...range, revision: 2 ** 53 - 1 }, undefined))).toEqual({
      key: 'YQ==',
      range_end: 'Yg==',
      limit: '300',
      revision: '9007199254740991',
      keys_only: true,
    });
  });

  it('name the fields as etcd does', async () => {
    expect(await sentBy((calls) => calls.txn(txn, undefined))).toEqual({
      compare: [
        { key: 'aw==', target: 'MOD', mod_revision: '0' },
        { key: 'aw==', target: 'MOD', mod_revision: '5' },
      ],
      success: [
        { request_put: { key: 'aw==', value: 'dg==' } },
        { request_delete_range: { key: 'aw==', prev_kv: true } },
      ],
      failure: [{ request_range: { key: 'aw==' } }],
    });
    expect(codec.encodeWatch(watch)).toEqual({
      create_request: {
        key: 'YQ==',
        range_end: 'Yg==',
        start_revision: '3',
        progress_notify: true,
        prev_kv: true,
        fragment: true,
      },
    });
    expect(await sentBy((calls) => calls.compact(150, undefined))).toEqual({ revision: '150' });
    expect(await sentBy((calls) => calls.authenticate('u', 'p'))).toEqual({ name: 'u', password: 'p' });
  });

  it('are read from a response, which has fields that were not requested', async () => {
    const { read, where } = await exchange(codec, (calls) => calls.txn(txn, undefined), {
      header: { cluster_id: '1', revision: '9' },
      succeeded: true,
      responses: [
        { response_put: {} },
        { response_delete_range: { deleted: '1', prev_kvs: [{ key: 'aw==', mod_revision: '4' }] } },
        { response_range: { kvs: [{ key: 'aw==', value: 'dg==', version: '1', lease: '0' }] } },
      ],
    });
    expect(where[1]).toBe('kv/txn');
    expect(read.revision).toBe(9);
    expect(read.steps.map((kvs) => kvs.map(({ value, ...kv }) => [text(value), kv.modRevision, kv.version]))).toEqual([
      [],
      [['', 4, 0]],
      [['v', 0, 1]],
    ]);
    const status = { dbSize: '7', dbSizeInUse: '5', raftIndex: '1' };
    expect((await exchange(codec, (calls) => calls.bytesInUse(undefined), status)).read).toBe(5);
  });

  it('are zero, false and empty where the gateway leaves fields out', async () => {
    const ask = (calls: Calls): ReturnType<Calls['range']> => calls.range(range, undefined);
    expect((await exchange(codec, ask, { header: {} })).read).toEqual({ revision: 0, kvs: [], more: false, count: 0 });
    expect((await exchange(codec, (calls) => calls.txn(txn, undefined), {})).read).toEqual({
      revision: 0,
      succeeded: false,
      steps: [],
    });
    expect(
      codec.decodeWatch({ events: [{ kv: { key: 'aw==' } }, { type: 'DELETE', kv: {}, prev_kv: {} }] }),
    ).toMatchObject({
      created: false,
      canceled: false,
      compactRevision: 0,
      events: [{ type: 'put' }, { type: 'delete', previous: { version: 0 } }],
    });
  });

  it('are refused where a response has other types', async () => {
    const ask = (calls: Calls): ReturnType<Calls['range']> => calls.range(range, undefined);
    await expect(exchange(codec, ask, { kvs: 'none' })).rejects.toThrow('RangeResponse.kvs');
    expect(() => codec.decodeWatch('no message')).toThrow('WatchResponse');
  });
});
