import { describe, expect, it } from 'vitest';
import { allowAnonymous } from '../../../src/auth/authenticators.js';
import { allowEverybody } from '../../../src/auth/authorizers.js';
import { createEvents } from '../../../src/events/create-events.js';
import type { EventsOptions } from '../../../src/events/options.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call, type CallResult } from '../../../src/testing/call.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

/** The defaults and constants of `docs/limits.md`, each at its bound and one beyond it. */

const COLLECTION = '/apis/events.example.com/v1/namespaces/shop/events';

const event = (name: string, more: object = {}): object => ({
  metadata: { name },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  ...more,
});

function server(options: Partial<EventsOptions> = {}) {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const api = createEvents({
    ...{ apiDomain: 'example.com', store, clock },
    ...{ authenticate: allowAnonymous(), authorize: allowEverybody() },
    ...options,
  });
  const ask = (target: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<CallResult> =>
    call(api.handle, target, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
  const status = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status;
  return { clock, store, api, ask, status };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the limit of a body', () => {
  /** An event of exactly so many bytes. */
  const ofBytes = (bytes: number): string => JSON.stringify(event('a')).padEnd(bytes, ' ');
  /** An event with so many fields and items at all levels, most of them in an unknown field. */
  const ofMembers = (count: number): string => {
    const least = event('a', { unknown: [] });
    const known = Object.keys(least).length + 1 + 3;
    return JSON.stringify({ ...least, unknown: Array.from({ length: count - known }, () => 1) });
  };

  it('is 524,288 bytes by default', async () => {
    const { status } = server();
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofBytes(524_288))).toBe(201);
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofBytes(524_289))).toBe(413);
  });

  it('is at most 3 MiB by option', async () => {
    const { status } = server({ maxBodyBytes: 3_145_728 });
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofBytes(3_145_728))).toBe(201);
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofBytes(3_145_729))).toBe(413);
    expect(() => server({ maxBodyBytes: 3_145_729 })).toThrow('maxBodyBytes must be a whole number from 1 to 3145728');
  });

  it('is 4,000 fields and items by default', async () => {
    const { status } = server();
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofMembers(4_000))).toBe(201);
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofMembers(4_001))).toBe(413);
  });

  it('is at most 100,000 fields and items by option', async () => {
    const { status } = server({ maxBodyFields: 100_000 });
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofMembers(100_000))).toBe(201);
    expect(await status(`POST ${COLLECTION}?dryRun=All`, ofMembers(100_001))).toBe(413);
    expect(() => server({ maxBodyFields: 100_001 })).toThrow('maxBodyFields must be a whole number from 1 to 100000');
  });

  it('is 1,000 levels of nesting', async () => {
    const { ask } = server();
    const nested = (levels: number): string =>
      JSON.stringify(event('a')).replace(/}$/, `,"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
    expect((await ask(`POST ${COLLECTION}?dryRun=All`, nested(1_000))).status).toBe(201);
    expect((await ask(`POST ${COLLECTION}?dryRun=All`, nested(1_001))).status).toBe(400);
  });

  it('is 100 unknown fields that a response names, as warnings or in an error', async () => {
    const { ask } = server();
    const unknown = (count: number): string =>
      JSON.stringify(event('a', Object.fromEntries(Array.from({ length: count }, (_, index) => [`u${index}`, 1]))));
    for (const count of [100, 101]) {
      const warned = await ask(`POST ${COLLECTION}?dryRun=All`, unknown(count));
      expect([warned.status, warned.headers['warning']]).toEqual([
        201,
        Array.from({ length: 100 }, (_, index) => `299 - "unknown field \\"u${index}\\""`),
      ]);
      const refused = await ask(`POST ${COLLECTION}?dryRun=All&fieldValidation=Strict`, unknown(count));
      expect(refused.status).toBe(400);
      const { message } = await refused.json<{ message: string }>();
      expect(message.match(/unknown field/g)).toHaveLength(100);
    }
  });

  it('is 131,072 characters of YAML by default', async () => {
    const { status } = server();
    const yaml = (length: number): string => {
      const text = `${JSON.stringify(event('a'))}\n#`;
      return text.padEnd(length, 'é');
    };
    const asYaml = { 'content-type': 'application/yaml' };
    expect(await status(`POST ${COLLECTION}?dryRun=All`, yaml(131_072), asYaml)).toBe(201);
    expect(await status(`POST ${COLLECTION}?dryRun=All`, yaml(131_073), asYaml)).toBe(400);
  });

  it('is 10,000 operations of a JSON Patch', async () => {
    const { ask, status } = server();
    await ask(`POST ${COLLECTION}`, JSON.stringify(event('a')));
    const patch = (length: number): string =>
      JSON.stringify(Array.from({ length }, () => ({ op: 'test', path: '/type', value: 'Normal' })));
    const type = { 'content-type': 'application/json-patch+json' };
    expect(await status(`PATCH ${COLLECTION}/a`, patch(10_000), type)).toBe(200);
    expect(await status(`PATCH ${COLLECTION}/a`, patch(10_001), type)).toBe(413);
  });
});

describe('the limit of a request', () => {
  it.each([
    ['a target of 65,536 characters', 65_536, 431],
    ['a continue token of 8,192 characters', 8_192, 400],
    ['a labelSelector of 32,768 characters', 32_768, 400],
    ['a timeout of 64 characters', 64, 400],
  ])('is %s of the target', async (what, length, beyond) => {
    const { ask } = server();
    const target = (size: number): string => {
      if (what.includes('target')) return `${COLLECTION}?x=`.padEnd(size, 'x');
      if (what.includes('continue')) return `${COLLECTION}?continue=${'x'.repeat(size)}`;
      if (what.includes('labelSelector'))
        return `${COLLECTION}?labelSelector=${'a'.padEnd(size, '%20').slice(0, 1)}${'+'.repeat(size - 1)}`;
      return `${COLLECTION}?timeout=${'0'.repeat(size - 1)}9s`.replace(/0(\d)s$/, '$1s');
    };
    const fits = await ask(`GET ${target(length)}`);
    const exceeds = await ask(`GET ${target(length + 1)}`);
    expect(exceeds.status).toBe(beyond);
    expect(await exceeds.text()).not.toBe(await fits.text());
    // A token of any length is wrong; the text shows whether its length is.
    if (what.includes('continue')) expect(await exceeds.text()).toContain('the token is too long');
    else expect(fits.status).toBe(200);
  });

  it('is 1,024 query parameters', async () => {
    const { status } = server();
    expect(await status(`GET ${COLLECTION}?${'a&'.repeat(1_023)}`)).toBe(200);
    expect(await status(`GET ${COLLECTION}?${'a&'.repeat(1_024)}`)).toBe(431);
  });

  it('is 512 terms in a selector', async () => {
    const { status } = server();
    const terms = (kind: string, one: (index: number) => string, count: number): string =>
      `GET ${COLLECTION}?${kind}=${Array.from({ length: count }, (_, index) => one(index)).join(',')}`;
    expect(await status(terms('labelSelector', (index) => `l${index}`, 512))).toBe(200);
    expect(await status(terms('labelSelector', (index) => `l${index}`, 513))).toBe(400);
    expect(await status(terms('fieldSelector', (index) => `type!=${index}`, 512))).toBe(200);
    expect(await status(terms('fieldSelector', (index) => `type!=${index}`, 513))).toBe(400);
  });

  it('is 8,192 characters and 128 clauses of Accept', async () => {
    const { status } = server();
    const accept = (value: string): Promise<number> => status(`GET ${COLLECTION}`, undefined, { accept: value });
    expect(await accept('application/json;a='.padEnd(8_192, 'x'))).toBe(200);
    expect(await accept('application/json;a='.padEnd(8_193, 'x'))).toBe(406);
    expect(await accept(`${'a/b,'.repeat(127)}*/*`)).toBe(200);
    expect(await accept(`${'a/b,'.repeat(128)}*/*`)).toBe(406);
  });

  it('is 1,024 characters of Content-Type', async () => {
    const { status } = server();
    const typed = (length: number): Promise<number> =>
      status(`POST ${COLLECTION}?dryRun=All`, JSON.stringify(event('a')), {
        'content-type': 'application/json;a='.padEnd(length, 'x'),
      });
    expect(await typed(1_024)).toBe(201);
    expect(await typed(1_025)).toBe(415);
  });

  it('is 256 KiB of annotations', async () => {
    const { status } = server();
    const annotated = (bytes: number): Promise<number> =>
      status(
        `POST ${COLLECTION}?dryRun=All`,
        JSON.stringify(event('a', { metadata: { name: 'a', annotations: { k: 'x'.repeat(bytes - 1) } } })),
      );
    expect(await annotated(262_144)).toBe(201);
    expect(await annotated(262_145)).toBe(422);
  });

  it('is 253 bytes of a name, and 58 bytes of generateName', async () => {
    const { ask, status } = server();
    const named = (metadata: object): string => JSON.stringify(event('a', { metadata }));
    expect(await status(`POST ${COLLECTION}`, named({ name: 'a'.repeat(253) }))).toBe(201);
    expect(await status(`POST ${COLLECTION}`, named({ name: 'a'.repeat(254) }))).toBe(422);
    const generated = async (length: number): Promise<number> => {
      const response = await ask(`POST ${COLLECTION}`, named({ generateName: 'g'.repeat(length) }));
      return (await response.json<{ metadata: { name: string } }>()).metadata.name.length;
    };
    expect([await generated(57), await generated(58), await generated(59)]).toEqual([62, 63, 63]);
  });
});

describe('the default time', () => {
  it('before a request is a 504 is 60,000 ms, whatever it waits for', async () => {
    const made = server();
    const store = { ...made.store, get: () => new Promise<never>(() => undefined) };
    const { clock, ask, api } = server({ store });
    let response: CallResult | undefined;
    const asked = ask(`GET ${COLLECTION}/a`).then((given) => (response = given));
    await settled();
    clock.advance(59_999);
    await settled();
    expect(response).toBeUndefined();
    clock.advance(1);
    await asked;
    expect(response?.status).toBe(504);
    await api.close();
  });

  it('before a quiet watch gets a bookmark is 60,000 ms', async () => {
    const { clock, ask, api } = server();
    await ask(`POST ${COLLECTION}`, JSON.stringify(event('a')));
    const frames = (await ask(`GET ${COLLECTION}?watch=true&allowWatchBookmarks=true`)).frames<{ type: string }>();
    expect([(await frames.next()).value?.type, (await frames.next()).value?.type]).toEqual(['ADDED', 'BOOKMARK']);
    let got: string | undefined;
    const next = frames.next().then(({ value }) => (got = value?.type));
    await ask(
      `POST ${COLLECTION.replace('shop', 'other')}`,
      JSON.stringify(event('b', { regarding: { namespace: 'other' } })),
    );
    await settled();
    clock.advance(59_999);
    await settled();
    expect(got).toBeUndefined();
    clock.advance(1);
    await settled();
    await next;
    expect(got).toBe('BOOKMARK');
    await frames.return();
    await api.close();
  });

  it('before a watch without timeoutSeconds ends is 30 to 60 minutes', async () => {
    const { clock, ask, api } = server();
    const frames = (await ask(`GET ${COLLECTION}?watch=true&resourceVersion=0`)).frames<{ type: string }>();
    let ended = false;
    const next = frames.next().then(({ done }) => (ended = done === true));
    await settled();
    clock.advance(1_799_999);
    await settled();
    expect(ended).toBe(false);
    clock.advance(1_800_001);
    await next;
    expect(ended).toBe(true);
    await api.close();
  });

  it('before an expired event is deleted is a second at most', async () => {
    const { clock, ask, status, api } = server({ ttlMs: 10_000 });
    await ask(`POST ${COLLECTION}`, JSON.stringify(event('a')));
    clock.advance(9_900);
    await settled();
    expect(await status(`GET ${COLLECTION}/a`)).toBe(200);
    for (let step = 0; step < 4; step++) {
      clock.advance(300);
      await settled();
    }
    expect(await status(`GET ${COLLECTION}/a`)).toBe(404);
    await api.close();
  });
});

describe('an omitted option', () => {
  it('enables discovery and managed fields, serves the group only, and allows the two types of the specification', async () => {
    const { ask, status } = server();
    expect([await status('GET /apis'), await status('GET /openapi/v3')]).toEqual([200, 200]);
    expect(await server().api.handle({ method: 'GET', url: '/api/v1/events', headers: {} })).toBeUndefined();
    const created = await ask(`POST ${COLLECTION}`, JSON.stringify(event('a')), { 'user-agent': 'tester/1' });
    const { metadata } = await created.json<{ metadata: { managedFields?: unknown[] } }>();
    expect(metadata.managedFields).toHaveLength(1);
    for (const [type, expected] of [
      ['Warning', 201],
      ['Audit', 422],
    ] as const) {
      expect(await status(`POST ${COLLECTION}?dryRun=All`, JSON.stringify(event('b', { type })))).toBe(expected);
    }
  });
});

describe('the lowest value of an option', () => {
  it.each([
    ['ttlMs', 1_000, 999, 'a number of at least 1000'],
    ['maxBodyBytes', 1, 0, 'a whole number from 1 to 3145728'],
    ['maxBodyFields', 1, 0, 'a whole number from 1 to 100000'],
    ['maxYamlCharacters', 1, 0, 'a whole number of at least 1'],
    ['maxSelectorTerms', 1, 0, 'a whole number of at least 1'],
    ['requestTimeoutMs', 1, 0, 'a number of at least 1'],
    ['bookmarkIntervalMs', 10, 9, 'a number of at least 10'],
    ['minWatchMs', 1_000, 999, 'a number of at least 1000'],
    ['expiryIntervalMs', 10, 9, 'a number of at least 10'],
    ['clockToleranceMs', 1, 0, 'a number of at least 1'],
  ] as const)('is checked: %s may be %i, not %i', async (name, least, below, words) => {
    await server({ [name]: least }).api.close();
    expect(() => server({ [name]: below })).toThrow(`${name} must be ${words}`);
  });
});
