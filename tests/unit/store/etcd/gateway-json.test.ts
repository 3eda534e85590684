import { expect, test } from 'vitest';
import { createGatewayJson } from '../../../../src/store/etcd/gateway-json.js';

const json = createGatewayJson({
  encode: (bytes) => Buffer.from(bytes).toString('base64'),
  decode: (text) => new Uint8Array(Buffer.from(text, 'base64')),
});
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const sent = (value: object): unknown => JSON.parse(JSON.stringify(value));

test('a range: bytes as base64, numbers as strings, what is absent stays absent', () => {
  expect(sent(json.range({ key: bytes('a') }))).toEqual({ key: 'YQ==' });
  expect(
    sent(json.range({ key: bytes('a'), rangeEnd: bytes('b'), limit: 5, revision: 2 ** 53 - 1, newestFirst: true })),
  ).toEqual({
    key: 'YQ==',
    range_end: 'Yg==',
    limit: '5',
    revision: '9007199254740991',
    sort_order: 'DESCEND',
    sort_target: 'MOD',
  });
});

test('a transaction and its answer', () => {
  const key = bytes('k');
  expect(
    sent(
      json.txn({
        compare: [{ key, target: 'mod', result: 'equal', value: 5 }],
        success: [
          { type: 'put', key, value: bytes('v') },
          { type: 'delete', key },
        ],
        failure: [{ type: 'range', key }],
      }),
    ),
  ).toEqual({
    compare: [{ key: 'aw==', target: 'MOD', result: 'EQUAL', mod_revision: '5' }],
    success: [
      { request_put: { key: 'aw==', value: 'dg==' } },
      { request_delete_range: { key: 'aw==', prev_kv: true } },
    ],
    failure: [{ request_range: { key: 'aw==' } }],
  });
  const answer = json.readTxn({
    header: { revision: '9' },
    succeeded: true,
    responses: [
      { response_put: {} },
      { response_delete_range: { deleted: '1', prev_kvs: [{ key: 'aw==', mod_revision: '4' }] } },
      { response_range: { kvs: [{ key: 'aw==', value: 'dg==', version: '1' }] } },
    ],
  });
  expect(answer.revision).toBe(9);
  expect(answer.steps.map((kvs) => kvs.map(({ modRevision, version }) => [modRevision, version]))).toEqual([
    [],
    [[4, 0]],
    [[0, 1]],
  ]);
});

test('fields that are left out are zero, false and empty', () => {
  expect(json.readRange({ header: {} })).toEqual({ revision: 0, kvs: [], more: false, count: 0 });
  expect(json.readTxn({})).toEqual({ revision: 0, succeeded: false, steps: [] });
  expect(json.readWatch({ events: [{ kv: { key: 'aw==' } }, { type: 'DELETE', kv: {}, prev_kv: {} }] })).toMatchObject({
    created: false,
    canceled: false,
    compactRevision: 0,
    events: [{ type: 'put' }, { type: 'delete', previous: { version: 0 } }],
  });
});
