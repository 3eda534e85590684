import { describe, expect, test } from 'vitest';
import { writeContinueToken } from '../../../../src/api/options/continue-token.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { bench, event, metaOf, path, type Json } from '../bench.js';

/** A store that fails for the keys that PostgreSQL cannot keep, with an error that counts as a bug. */
const picky = (store: EventStore): EventStore => {
  const check = ({ namespace, name }: { namespace: string; name: string }): void => {
    const key = `${namespace}/${name}`;
    if (/[\0\ud800-\udfff]/u.test(key) || Buffer.byteLength(key) > 600)
      throw new TypeError('a key that cannot be kept');
  };
  return {
    ...store,
    create: async (key, ...rest) => {
      check(key);
      return store.create(key, ...rest);
    },
  };
};

const core = (rest = '', namespace = 'default'): string => `/api/v1/namespaces/${namespace}/events${rest}`;
const coreEvent = (name: string | undefined, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { ...(name !== undefined && { name }), ...metadata },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-0' },
});

const causesOf = (json: Json): unknown =>
  (json['details'] as { causes?: readonly Json[] }).causes?.map(
    ({ field, message }) => `${String(field)}: ${String(message)}`,
  );

describe.each(['', '?dryRun=All'])('a name in the core/v1 view%s', (query) => {
  test('has at most 253 bytes', async () => {
    const { json } = bench({ coreV1: true }, picky);
    for (const [longest, tooLong] of [
      ['n'.repeat(253), 'n'.repeat(254)],
      ['é'.repeat(126), 'é'.repeat(127)],
      ['Ab_'.repeat(84), 'n'.repeat(13_000)],
    ] as const) {
      expect((await json(`POST ${core(query)}`, coreEvent(longest))).status).toBe(201);
      const refused = await json(`POST ${core(query)}`, coreEvent(tooLong));
      expect(refused.status).toBe(422);
      expect(causesOf(refused.json)).toEqual([
        expect.stringMatching(/^metadata\.name: Invalid value: ".*": must be no more than 253 characters$/),
      ]);
      const put = await json(`PUT ${core(`/${encodeURIComponent(tooLong)}`)}${query}`, coreEvent(tooLong));
      expect(put.status).toBe(422);
    }
  });

  test('has no NUL character', async () => {
    const { json } = bench({ coreV1: true }, picky);
    const refused = await json(`POST ${core(query)}`, coreEvent('a\0b'));
    expect(refused.status).toBe(422);
    expect(causesOf(refused.json)).toEqual([
      'metadata.name: Invalid value: "a\\x00b": may not contain NUL characters or unpaired surrogates',
    ]);
    expect((await json(`PUT ${core('/a%00b')}${query}`, coreEvent('a\0b'))).status).toBe(422);
    expect((await json(`POST ${core(query)}`, coreEvent(undefined, { generateName: 'a\0' }))).status).toBe(422);
  });

  test('has only whole characters of generateName', async () => {
    const { json } = bench({ coreV1: true }, picky);
    const generateName = `a${'\u{1f600}'.repeat(40)}`;
    const made = await json(`POST ${core(query)}`, coreEvent(undefined, { generateName }));
    expect(made.status).toBe(201);
    expect(metaOf(made.json)['name']).toMatch(/^a\u{1f600}{14}[a-z0-9]{5}$/u);
  });

  test.each(['x'.repeat(64), 'a\0b', 'UPPER'])('is in a valid namespace, not in %j', async (namespace) => {
    const { json } = bench({ coreV1: true }, picky);
    const body = coreEvent('a', { namespace });
    const sent = { ...body, involvedObject: { kind: 'Pod', namespace, name: 'web-0' } };
    expect((await json(`POST ${core('', encodeURIComponent(namespace))}${query}`, sent)).status).toBe(422);
  });
});

test.each(['n'.repeat(700), 'a%00b', '%ed%a0%80'])('no event is found by the name %s', async (name) => {
  const { json } = bench({ coreV1: true });
  for (const at of [path(`/${name}`), core(`/${name}`)]) {
    expect((await json(`GET ${at}`)).status).toBe(404);
    expect((await json(`DELETE ${at}`)).status).toBe(404);
    const patch = { metadata: { labels: { a: 'b' } } };
    expect((await json(`PATCH ${at}`, patch, { 'content-type': 'application/merge-patch+json' })).status).toBe(404);
  }
});

test('a dry run refuses an event that the store finds too large', async () => {
  const small = (store: EventStore): EventStore => ({
    ...store,
    capabilities: { ...store.capabilities, maxEventBytes: 2_000 },
  });
  const { json, create } = bench({}, small);
  await create('a');
  await create('held', {}, { finalizers: ['example.com/hold'] });
  const big = { annotations: { big: 'x'.repeat(2_000) } };
  const merge = { 'content-type': 'application/merge-patch+json' };
  for (const response of [
    await json(`POST ${path('?dryRun=All')}`, event('b', {}, big)),
    await json(`PUT ${path('/a?dryRun=All')}`, event('a', {}, big)),
    await json(`PATCH ${path('/a?dryRun=All')}`, { metadata: big }, merge),
  ]) {
    expect(response.status).toBe(413);
    expect(response.json).toMatchObject({ reason: 'RequestEntityTooLarge' });
  }
});

describe('continue tokens', () => {
  test('fit into a URL, whatever the names are', async () => {
    const { json } = bench({ coreV1: true });
    for (const first of ['\u0001', '\u0002']) {
      const name = `${first.repeat(252)}x`;
      expect((await json(`POST ${core()}`, coreEvent(name))).status).toBe(201);
    }
    for (const at of [core('?limit=1'), '/api/v1/events?limit=1']) {
      const page = await json(`GET ${at}`);
      const token = String(metaOf(page.json)['continue']);
      expect(token.length).toBeLessThan(2_300);
      expect((await json(`GET ${at}&continue=${token}`)).status).toBe(200);
    }
  });

  test('that are longer than any valid one are not read', async () => {
    const { json } = bench();
    const token = writeContinueToken({ revision: 1, start: 'n'.repeat(6_200) });
    const { status, json: body } = await json(`GET ${path(`?limit=1&continue=${token}`)}`);
    expect(status).toBe(400);
    expect(body['message']).toBe('invalid continue token: continue key is not valid: the token is too long');
  });
});
