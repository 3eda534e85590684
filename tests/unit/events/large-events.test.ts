import { describe, expect, test } from 'vitest';
import { MAX_MEMBERS } from '../../../src/json/member-count.js';
import { createBodyLimits } from '../../../src/api/body/parse-body.js';
import { heapGrowth } from '../../collect-garbage.js';
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
  ])('when it is in %s: %j', async (target, headers) => {
    const { json, create, revision } = bench();
    await create('a');
    const before = await revision();
    expect(await json(target, event('a', {}, { labels: labels(MAX_MEMBERS) }), headers)).toEqual(BODY);
    expect(await revision()).toBe(before);
  });

  test('in protobuf as well', async () => {
    const response = await bench().ask(`POST ${path()}`, { headers: PROTOBUF, body: emptyLabels(8_000) });
    expect({ status: response.status, json: await response.json() }).toEqual(BODY);
  });
});

describe('a stored event', () => {
  test('keeps nothing else of the body that it came in', async () => {
    const { ask, create } = bench({ maxBodyBytes: 3_145_728 });
    await create('a');
    const grown = await heapGrowth(async () => {
      for (let i = 0; i < 9; i++) {
        // A duplicate field, so that the texts of the event are slices of the body.
        const text = JSON.stringify(event(`b-${i}`, { reason: `a-reason-of-its-own-${i}` }));
        const body = `${text.slice(0, -1)},"note":"x"${' '.repeat(3_000_000)}}`;
        const { status } = await ask(`POST ${path()}`, { headers: { 'content-type': 'application/json' }, body });
        expect(status).toBe(201);
      }
    });
    expect(grown).toBeLessThan(13_000_000);
  });

  test('keeps nothing else of the body in the history of watches', async () => {
    const { ask, create, revision } = bench({ maxBodyBytes: 3_145_728 });
    await create('a');
    const client = new AbortController();
    const watch = await ask(`GET ${path(`?watch=true&resourceVersion=${await revision()}`)}`, {
      signal: client.signal,
    });
    const frames = watch.text().catch(() => '');
    const grown = await heapGrowth(async () => {
      for (let i = 0; i < 9; i++) {
        const text = JSON.stringify(event(`a-name-that-is-a-slice-${i}`));
        const body = `${text.slice(0, -1)},"note":"x"${' '.repeat(3_000_000)}}`;
        const { status } = await ask(`POST ${path()}`, { headers: { 'content-type': 'application/json' }, body });
        expect(status).toBe(201);
        await new Promise(setImmediate);
      }
    });
    expect(grown).toBeLessThan(13_000_000);
    client.abort();
    await frames;
  });

  test('leaves nothing of long labels behind if it is refused', async () => {
    const { json } = bench({ maxBodyBytes: 3_145_728, managedFields: true });
    const refused = async (i: number): Promise<void> => {
      const { status } = await json(
        `POST ${path('?dryRun=All')}`,
        event('a', {}, { labels: { [`${i}${'x'.repeat(1_000_000)}`]: '' } }),
      );
      expect(status).toBe(422);
    };
    await refused(0);
    const grown = await heapGrowth(async () => {
      for (let i = 1; i <= 18; i++) await refused(i);
    });
    expect(grown).toBeLessThan(9_000_000);
  });

  test('cannot grow without limit through small patches', async () => {
    const { json, create } = bench();
    await create('a');
    const add = (prefix: string) => json(`PATCH ${path('/a')}`, { metadata: { labels: labels(3_500, prefix) } }, MERGE);
    expect((await add('a')).status).toBe(200);
    expect(await add('b')).toEqual(tooMany('the changed object', createBodyLimits().storedMembers));
    expect(Object.keys(metaOf((await json(`GET ${path('/a')}`)).json)['labels'] as Json)).toHaveLength(3_500);
    expect((await json(`PATCH ${path('/a')}`, { metadata: { labels: null } }, MERGE)).status).toBe(200);
    expect((await json(`DELETE ${path('/a')}`)).status).toBe(200);
  });

  test('cannot grow without limit through appliers that each own all of it', async () => {
    const { json } = bench();
    const applied = (manager: string) =>
      json(`PATCH ${path(`/a?fieldManager=${manager}`)}`, event('a', {}, { labels: labels(1_500) }), APPLY);
    const responses: number[] = [];
    for (let manager = 0; manager < 6; manager++) responses.push((await applied(`m${manager}`)).status);
    expect(responses).toEqual([201, 200, 200, 200, 413, 413]);
  });

  test('cannot grow without limit through copies in a patch', async () => {
    const { json, create } = bench();
    await create('a', {}, { annotations: labels(2_500) });
    const copies = ['x', 'y', 'z', 'u'].map((name) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/${name}`,
    }));
    expect(await json(`PATCH ${path('/a')}`, copies, JSON_PATCH)).toEqual(
      tooMany('the patched object', createBodyLimits().storedMembers),
    );
  });
});

describe('maxBodyFields', () => {
  const yamlText = (count: number): string =>
    `metadata:\n  labels:\n${Array.from({ length: count }, (_, index) => `    k${index}: v\n`).join('')}`;

  test.each([
    [`POST ${path()}`, 'application/json'],
    [`PUT ${path('/a')}`, 'application/json'],
    [`PATCH ${path('/a')}`, 'application/merge-patch+json'],
    [`PATCH ${path('/a')}`, 'application/strategic-merge-patch+json'],
    [`PATCH ${path('/a?fieldManager=m')}`, 'application/apply-patch+yaml'],
    [`DELETE ${path('/a')}`, 'application/json'],
  ])('limits the fields and list items of a body: %s %s', async (target, contentType) => {
    const { json, create } = bench({ maxBodyFields: 100 });
    await create('a');
    const headers = { 'content-type': contentType };
    const sent = event('a', {}, { labels: labels(100) });
    expect(await json(target, sent, headers)).toEqual(tooMany('the body', 100));
    expect((await bench({ maxBodyFields: 5_000 }).json(target, sent, headers)).status).not.toBe(413);
  });

  test.each([
    [`POST ${path()}`, 'application/yaml'],
    [`PATCH ${path('/a?fieldManager=m')}`, 'application/apply-patch+yaml'],
    [`DELETE ${path('/a')}`, 'application/yaml'],
  ])('limits them in YAML, too: %s %s', async (target, contentType) => {
    const { ask, create } = bench({ maxBodyFields: 100 });
    await create('a');
    const response = await ask(target, { headers: { 'content-type': contentType }, body: yamlText(100) });
    expect({ status: response.status, json: await response.json() }).toEqual(tooMany('the body', 100));
  });

  test.each([`POST ${path()}`, `DELETE ${path('/a')}`])('limits them in protobuf, too: %s', async (target) => {
    const { ask, create } = bench({ maxBodyFields: 100 });
    await create('a');
    // An unknown field of DeleteOptions counts like any other.
    const body = target.startsWith('POST') ? emptyLabels(101) : deleteOptions(101);
    const response = await ask(target, { headers: PROTOBUF, body });
    expect({ status: response.status, json: await response.json() }).toEqual(tooMany('the body', 100));
  });

  test('limits the managed fields within protobuf separately', async () => {
    const sent = async (maxBodyFields: number, fields: number) => {
      const body = managedFields(JSON.stringify(labels(fields, 'f:')));
      return (await bench({ maxBodyFields }).ask(`POST ${path()}`, { headers: PROTOBUF, body })).text();
    };
    const tooManyWithin = 'invalid JSON for field FieldsV1: too many fields and list items';
    expect(await sent(100, 101)).toContain(tooManyWithin);
    expect(await sent(100, 100)).not.toContain(tooManyWithin);
    expect(await sent(6_000, 5_000)).not.toContain(tooManyWithin);
  });

  test('above the default allows larger events, which can be changed', async () => {
    const { json } = bench({ maxBodyFields: 6_000 });
    const sent = event('a', {}, { labels: labels(5_000) });
    expect((await json(`POST ${path()}`, sent)).status).toBe(201);
    expect((await json(`PATCH ${path('/a')}`, { metadata: { labels: { more: 'v' } } }, MERGE)).status).toBe(200);
    const operations = [{ op: 'add', path: '/metadata/annotations', value: { long: 'x'.repeat(20_000) } }];
    expect((await json(`PATCH ${path('/a')}`, operations, JSON_PATCH)).status).toBe(200);
  });

  test('limits changed events to twice as many and 100', async () => {
    const { json, create } = bench({ maxBodyFields: 100 });
    await create('a');
    const add = (prefix: string) => json(`PATCH ${path('/a')}`, { metadata: { labels: labels(80, prefix) } }, MERGE);
    expect((await add('a')).status).toBe(200);
    expect(await add('b')).toEqual(tooMany('the changed object', 300));
    const copies = ['x', 'y', 'z'].map((name) => ({ op: 'copy', from: '/metadata/labels', path: `/${name}` }));
    expect(await json(`PATCH ${path('/a')}`, copies, JSON_PATCH)).toEqual(tooMany('the patched object', 300));
  });
});

describe('maxYamlCharacters', () => {
  const tooComplex = expect.stringContaining('yaml: document is too complex') as unknown;

  test.each([
    [`POST ${path()}`, 'application/yaml'],
    [`PATCH ${path('/a?fieldManager=m')}`, 'application/apply-patch+yaml'],
    [`DELETE ${path('/a')}`, 'application/yaml'],
  ])('limits the length of a YAML body: %s %s', async (target, contentType) => {
    const sent = async (maxYamlCharacters: number | undefined, body: string) => {
      const { ask, create } = bench({ maxYamlCharacters });
      await create('a');
      const response = await ask(target, { headers: { 'content-type': contentType }, body });
      return { status: response.status, json: await response.json<Json>() };
    };
    const padded = (length: number): string => '# '.padEnd(length, 'x');
    const refused = { status: 400, json: { message: tooComplex } };
    expect(await sent(1_000, padded(1_001))).toMatchObject(refused);
    expect((await sent(1_000, padded(1_000))).json['message']).not.toEqual(tooComplex);
    expect(await sent(undefined, padded(131_073))).toMatchObject(refused);
    expect((await sent(200_000, padded(131_073))).json['message']).not.toEqual(tooComplex);
  });
});

test('an event with the largest annotations fits the default', async () => {
  const { json } = bench();
  const annotations = { big: 'ä'.repeat(131_070) };
  expect((await json(`POST ${path()}`, event('a', {}, { annotations }))).status).toBe(201);
  const more = await json(`POST ${path()}`, event('b', {}, { annotations: { big: 'x'.repeat(524_288) } }));
  expect(more).toMatchObject({ status: 413, json: { message: 'Request entity too large: limit is 524288' } });
});

/** An envelope around so many empty labels: 0x5a is field 11 of metadata. */
function emptyLabels(count: number): Uint8Array {
  const inner = Array.from({ length: 2 * count }, (_, index) => (index % 2 === 0 ? 0x5a : 0));
  const message = [0x0a, ...varint(inner.length), ...inner];
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, ...varint(message.length), ...message]);
}

/** An envelope around one entry of managed fields: 0x8a 0x01 is field 17 of metadata, 0x3a `fieldsV1` of the entry. */
function managedFields(json: string): Uint8Array {
  const within = (head: readonly number[], inner: readonly number[]) => [...head, ...varint(inner.length), ...inner];
  const fields = within([0x0a], [...new TextEncoder().encode(json)]);
  const message = within([0x0a], within([0x8a, 0x01], within([0x3a], fields)));
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...within([0x12], message)]);
}

/** DeleteOptions with so many empty texts in a field that does not exist. */
function deleteOptions(count: number): Uint8Array {
  const type = [0x0a, 2, ...new TextEncoder().encode('v1'), 0x12, 13, ...new TextEncoder().encode('DeleteOptions')];
  const message = Array.from({ length: 2 * count }, (_, index) => (index % 2 === 0 ? 0x7a : 0));
  const head = [0x6b, 0x38, 0x73, 0, 0x0a, ...varint(type.length), ...type];
  return Uint8Array.from([...head, 0x12, ...varint(message.length), ...message]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
