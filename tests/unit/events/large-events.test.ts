import { describe, expect, test } from 'vitest';
import { MAX_MEMBERS, MAX_STORED_MEMBERS } from '../../../src/api/decode/member-limit.js';
import { bench, event, metaOf, path, type Json } from './bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };

const labels = (count: number, prefix = 'k'): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));
const tooMany = (what: string, most: number): Json => ({
  status: 413,
  json: expect.objectContaining({
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: ${what} has more than ${most} fields and list items`,
  }) as unknown,
});
const BODY = tooMany('the body', MAX_MEMBERS);

describe('a body with too many fields and items is refused before it is parsed', () => {
  test.each([
    [`POST ${path()}`, { 'content-type': 'application/json' }],
    [`POST ${path('?dryRun=All')}`, { 'content-type': 'application/json' }],
    [`PUT ${path('/a')}`, { 'content-type': 'application/json' }],
    [`PATCH ${path('/a')}`, MERGE],
    [`PATCH ${path('/a')}`, { 'content-type': 'application/strategic-merge-patch+json' }],
    [`PATCH ${path('/a?fieldManager=m')}`, APPLY],
    [`DELETE ${path('/a')}`, { 'content-type': 'application/json' }],
  ])('%s %j', async (target, headers) => {
    const { json, create, revision } = bench();
    await create('a');
    const before = await revision();
    expect(await json(target, event('a', {}, { labels: labels(MAX_MEMBERS) }), headers)).toEqual(BODY);
    expect(await revision()).toBe(before);
  });

  test('in protobuf, too', async () => {
    const body = new Uint8Array(20_000).fill(0x0a);
    // An envelope around empty labels: 0x5a is field 11 of metadata.
    const inner = Uint8Array.from({ length: 16_000 }, (_, index) => (index % 2 === 0 ? 0x5a : 0));
    const bytes = [...varint(inner.length)];
    const message = Uint8Array.from([0x0a, ...bytes, ...inner]);
    const head = [0x6b, 0x38, 0x73, 0, 0x12, ...varint(message.length)];
    body.set([...head, ...message]);
    const sent = body.subarray(0, head.length + message.length);
    const answer = await bench().ask(`POST ${path()}`, { headers: PROTOBUF, body: sent });
    expect({ status: answer.status, json: await answer.json() }).toEqual(BODY);
  });
});

describe('a stored event', () => {
  test('does not grow without end by patches that are each small enough', async () => {
    const { json, create } = bench();
    await create('a');
    const add = (prefix: string) => json(`PATCH ${path('/a')}`, { metadata: { labels: labels(3_500, prefix) } }, MERGE);
    expect((await add('a')).status).toBe(200);
    expect(await add('b')).toEqual(tooMany('the changed object', MAX_STORED_MEMBERS));
    expect(Object.keys(metaOf((await json(`GET ${path('/a')}`)).json)['labels'] as Json)).toHaveLength(3_500);
    expect((await json(`PATCH ${path('/a')}`, { metadata: { labels: null } }, MERGE)).status).toBe(200);
    expect((await json(`DELETE ${path('/a')}`)).status).toBe(200);
  });

  test('does not grow without end by appliers that each own all of it', async () => {
    const { json } = bench();
    const applied = (manager: string) =>
      json(`PATCH ${path(`/a?fieldManager=${manager}`)}`, event('a', {}, { labels: labels(1_500) }), APPLY);
    const answers: number[] = [];
    for (let manager = 0; manager < 6; manager++) answers.push((await applied(`m${manager}`)).status);
    expect(answers).toEqual([201, 200, 200, 200, 413, 413]);
  });

  test('does not grow without end by copies in a patch', async () => {
    const { json, create } = bench();
    await create('a', {}, { annotations: labels(2_500) });
    const copies = ['x', 'y', 'z', 'u'].map((name) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/${name}`,
    }));
    expect(await json(`PATCH ${path('/a')}`, copies, JSON_PATCH)).toEqual(
      tooMany('the patched object', MAX_STORED_MEMBERS),
    );
  });
});

test('an event as large as its annotations may be fits the default', async () => {
  const { json } = bench();
  const annotations = { big: 'ä'.repeat(131_070) };
  expect((await json(`POST ${path()}`, event('a', {}, { annotations }))).status).toBe(201);
  const more = await json(`POST ${path()}`, event('b', {}, { annotations: { big: 'x'.repeat(524_288) } }));
  expect(more).toMatchObject({ status: 413, json: { message: 'Request entity too large: limit is 524288' } });
});

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
