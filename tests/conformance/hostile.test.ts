import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { allowAnonymous, allowEverybody, createEvents, memoryStore, type Events } from '../../src/index.js';
import type { ApiResponse, EventStore, Observation } from '../../src/index.js';

const ROOT = '/apis/events.example.com/v1';
const PATH = `${ROOT}/namespaces/default/events`;

type Json = Record<string, unknown>;

interface Hostile {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
}

// A busy machine needs much longer for these tests than a quiet one.
vi.setConfig({ testTimeout: 60_000 });

let store: EventStore;
let events: Events;
let observed: Observation[] = [];

beforeAll(() => {
  store = memoryStore();
  events = createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
    // Less than the default, so that events which random finalizers keep do not make the lists of later requests long.
    ttlMs: 600_000,
    observe: (observation) => {
      if (observation.type === 'error') observed.push(observation);
    },
  });
});
afterAll(async () => {
  await events.close();
  await store.close();
});

const objectPrototype = Reflect.ownKeys(Object.prototype);
const arrayPrototype = Reflect.ownKeys(Array.prototype);
afterEach(() => {
  expect(Reflect.ownKeys(Object.prototype)).toEqual(objectPrototype);
  expect(Reflect.ownKeys(Array.prototype)).toEqual(arrayPrototype);
  expect(({} as Json)['polluted']).toBeUndefined();
});

/** Sends a request and reads the whole response; the client of a watch leaves after the first chunk. */
async function send({ method, url, headers, body }: Hostile): Promise<HttpResponse | undefined> {
  const client = new AbortController();
  const response = await events.handle({
    method,
    url,
    ...(headers && { headers }),
    ...(body !== undefined && { body: () => body }),
    signal: client.signal,
  });
  if (response === undefined) return undefined;
  let text = '';
  if (response.body !== null && typeof response.body === 'object' && Symbol.asyncIterator in response.body) {
    // These watches have no timeout: the client leaves once nothing more can be read at once.
    const timer = setImmediate(() => setImmediate(() => client.abort()));
    for await (const chunk of response.body) {
      text += new TextDecoder().decode(chunk);
      if (String(response.headers['content-type']).includes('stream=watch') || url.includes('watch')) client.abort();
    }
    clearImmediate(timer);
  } else if (response.body !== null) {
    text = typeof response.body === 'string' ? response.body : new TextDecoder().decode(response.body);
  }
  return { status: response.status, headers: response.headers, text };
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Checks what holds for every response to any request. */
function check({ status, headers, text }: HttpResponse): void {
  // The only 5xx that is documented: a revision in the future.
  if (status >= 500) {
    expect({ status, text, observed }).toMatchObject({ status: 504 });
    expect(text).toContain('Too large resource version');
  }
  for (const [name, values] of Object.entries(headers)) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    for (const value of [values].flat()) expect(value).toMatch(HEADER_VALUE);
  }
  if (status >= 400) {
    const type = String(headers['content-type']);
    if (type === 'application/json') {
      const body = JSON.parse(text) as Json;
      expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status });
      expect(typeof body['message']).toBe('string');
    } else if (text !== '') expect(type).toMatch(/^(text\/plain|application\/yaml)/);
    else expect(status).toBe(406); // of the OpenAPI documents
  }
  expect(observed).toEqual([]);
}

/** Asks, checks, and makes sure that a refusal changed nothing. */
async function probe(request: Hostile): Promise<HttpResponse | undefined> {
  observed = [];
  const before = await store.revision();
  const response = await send(request);
  if (response === undefined) return undefined;
  check(response);
  const reads = !['POST', 'PUT', 'PATCH', 'DELETE'].includes(request.method);
  const collection = request.method === 'DELETE' && response.status >= 400 && !/events\/./.test(request.url);
  if (reads || (response.status >= 400 && !collection)) expect(await store.revision()).toBe(before);
  return response;
}

const event = (name: string, more: Json = {}): Json => ({
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name, namespace: 'default', labels: { app: 'web' }, annotations: { note: 'x' } },
  eventTime: '2026-03-05T06:07:08.123456Z',
  series: { count: 2, lastObservedTime: '2026-03-05T06:07:08.123456Z' },
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  note: 'a note',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  ...more,
});

const json = (value: unknown): Pick<Hostile, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

// Generators of hostile input.

const POISON = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'polluted',
  '$patch',
  '$retainKeys',
];
const SCRAPS = [
  '',
  '/',
  '..',
  '.',
  '%2F',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '%ff',
  '\0',
  '\r\n',
  '\u202e',
  '\ud800',
  '\udfff',
  'é',
  '😀',
  ' ',
  '+',
  ',',
  '=',
  '!',
  '(',
  ')',
  ' in ',
  'notin',
  '"',
  '\\',
  '~1',
  '~',
  ';',
  '&',
  '?',
  '#',
  '9223372036854775808',
  '-1',
  '1e999',
  'NaN',
  'null',
  'true',
];

const scrap = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...SCRAPS, ...POISON) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 1, arbitrary: fc.nat(300).map((length) => 'a'.repeat(length)) },
  );
const mess = (maxLength = 6): fc.Arbitrary<string> => fc.array(scrap(), { maxLength }).map((parts) => parts.join(''));

const value = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    mess(),
    fc.double(),
    fc.bigInt().map(Number),
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, [], {}, [[]], [null], { a: null }),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...POISON), fc.string()),
      fc.oneof(fc.string(), fc.constant(null), fc.constant({})),
    ),
    fc.array(fc.dictionary(fc.constantFrom('uid', 'name', 'kind', '$patch', '__proto__'), fc.string()), {
      maxLength: 3,
    }),
  );

type Place = readonly (string | number)[];

function places(of: unknown, at: Place = []): Place[] {
  if (typeof of !== 'object' || of === null) return [at];
  return [at, ...Object.entries(of).flatMap(([key, inner]) => places(inner, [...at, key]))];
}

const TEMPLATE = event('seed', {
  metadata: {
    name: 'seed',
    namespace: 'default',
    generateName: 'g-',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-03-05T06:07:08Z',
    deletionTimestamp: '2026-03-05T06:07:08Z',
    deletionGracePeriodSeconds: 3,
    labels: { app: 'web' },
    annotations: { note: 'x' },
    finalizers: ['example.com/a'],
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true, blockOwnerDeletion: false },
    ],
    managedFields: [
      { manager: 'm', operation: 'Update', apiVersion: 'v1', time: '2026-03-05T06:07:08Z', fieldsV1: {} },
    ],
  },
  related: { kind: 'Pod', name: 'x', uid: 'u', apiVersion: 'v1', resourceVersion: '5', fieldPath: 'spec' },
  deprecatedSource: { component: 'c', host: 'h' },
  deprecatedFirstTimestamp: '2026-03-05T06:07:08Z',
  deprecatedLastTimestamp: '2026-03-05T06:07:08Z',
  deprecatedCount: 1,
});
/** An event that would be accepted, so that a mutation of one field is not masked by the faults of others. */
const GOOD = event('seed');
const PLACES = places(TEMPLATE);

/** JSON text of an event in which some members are replaced, added or dropped. */
const mutant = (template: unknown = TEMPLATE): fc.Arbitrary<string> => {
  const all = template === TEMPLATE ? PLACES : places(template);
  const change = fc.record({
    place: fc.constantFrom(...all),
    how: fc.constantFrom('set', 'add', 'drop'),
    key: scrap(),
    value: value(),
  });
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    let root: unknown = structuredClone(template);
    for (const { place, how, key, value: drawn } of changes) {
      const put = structuredClone(drawn);
      let holder = root as Json;
      for (const step of place.slice(0, -1)) holder = (holder?.[step] ?? {}) as Json;
      const last = place.at(-1);
      if (typeof holder !== 'object' || holder === null) continue;
      // defineProperty, so that `__proto__` is a key like any other. Not for the `length` of an array: an invalid one
      // throws.
      const set = (target: object, name: PropertyKey, what: unknown): boolean =>
        !(Array.isArray(target) && name === 'length') &&
        Reflect.defineProperty(target, name, {
          value: what,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      if (last === undefined) {
        if (how === 'set') root = put;
        else if (how === 'add' && typeof root === 'object' && root !== null) set(root, key, put);
        continue;
      }
      if (how === 'drop') Reflect.deleteProperty(holder, last);
      else if (how === 'set') set(holder, last, put);
      else if (typeof holder[last] === 'object' && holder[last] !== null) set(holder[last], key, put);
    }
    return JSON.stringify(root) ?? 'null';
  });
};

/** Text with a few characters changed, dropped or doubled. */
const garbled = (source: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(source, fc.array(fc.tuple(fc.nat(), scrap(), fc.nat(3)), { maxLength: 3 })).map(([text, edits]) =>
    edits.reduce((now, [at, insert, cut]) => {
      const place = now.length === 0 ? 0 : at % now.length;
      return now.slice(0, place) + insert + now.slice(place + cut);
    }, text),
  );

const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.boolean()).map(([raw, whole]) => {
    if (!whole) return raw;
    return Array.from(new TextEncoder().encode(raw), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  });

const PARAMETERS = [
  'limit',
  'continue',
  'labelSelector',
  'fieldSelector',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'timeout',
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'pretty',
  'gracePeriodSeconds',
  'orphanDependents',
  'propagationPolicy',
  'includeObject',
  'force',
  'export',
  ...POISON,
];
const parameter = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...PARAMETERS),
      fc.oneof(
        encoded(mess(4)),
        fc.constantFrom('1', '0', 'true', 'All', 'Exact', 'NotOlderThan', 'Strict', '-1', '99999999999999999999'),
      ),
    )
    .map(([name, text]) => `${name}=${text}`);
const query = (): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: parameter() }, { weight: 1, arbitrary: mess(3) }), { maxLength: 4 })
    .map((parts) => (parts.length ? `?${parts.join('&')}` : ''));

const pathPart = (): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom('namespaces', 'default', 'events', 'seed', 'watch', 'status', ''), encoded(mess(3)));
const path = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(PATH, `${PATH}/seed`, `${ROOT}/events`, `${ROOT}/watch/events`),
    fc.array(pathPart(), { maxLength: 6 }).map((parts) => `${ROOT}/${parts.join('/')}`),
    fc.constantFrom(
      '/api',
      '/apis',
      '/apis/events.example.com',
      ROOT,
      '/openapi/v3',
      '/openapi/v3/apis/events.example.com/v1',
      '/openapi/v2',
    ),
    mess().map((text) => `/apis/events.example.com${text}`),
    mess(),
  );

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
const method = (): fc.Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: mess(2) });

const TYPES = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
];
const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
  'application/json;stream=watch',
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
  '*/*',
];
const headerText = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...known), garbled(fc.constantFrom(...known)), mess(3));
const headers = (): fc.Arbitrary<Record<string, string | string[]>> =>
  fc.record(
    {
      accept: headerText(ACCEPTS),
      'content-type': headerText(TYPES),
      'accept-encoding': headerText(['gzip', 'gzip;q=0', 'identity', '*']),
      authorization: headerText(['Bearer x', 'Basic x']),
      'audit-id': mess(3),
      'if-none-match': headerText(['"x"', '*']),
      'content-length': mess(1),
      'user-agent': fc.array(mess(2), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );

/** For a query. Lone surrogates have no UTF-8. */
const escaped = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const RUNS = { numRuns: 250 };

/** Restores the one event that many of these tests aim at. */
async function seeded(): Promise<void> {
  await send({ method: 'POST', url: PATH, ...json(event('seed')) });
  const there = await send({ method: 'GET', url: `${PATH}/seed` });
  expect(there?.status).toBe(200);
}

describe('without polluted prototypes and changes by refused requests,', () => {
  test('random requests of all kinds get no 5xx', async () => {
    await seeded();
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      mutant(GOOD),
      mutant(),
      garbled(mutant()),
      mess(),
      fc.constant(''),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({ method: method(), path: path(), query: query(), headers: headers() }),
        fc.option(body, { nil: undefined }),
        async ({ method: verb, path: at, query: asked, headers: sent }, content) => {
          await probe({
            method: verb,
            url: at + asked,
            headers: sent,
            ...(content !== undefined && { body: content }),
          });
        },
      ),
      { numRuns: 600 },
    );
  });

  test('mutated event bodies get no 5xx', async () => {
    await seeded();
    const how = fc.constantFrom(
      '',
      '?fieldValidation=Strict',
      '?fieldValidation=Ignore',
      '?dryRun=All',
      '?fieldValidation=Warn&pretty=1',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(mutant(GOOD), mutant(), garbled(mutant())),
        how,
        fc.boolean(),
        async (body, asked, put) => {
          const url = (put ? `${PATH}/seed` : PATH) + asked;
          await probe({ method: put ? 'PUT' : 'POST', url, ...json(body) });
        },
      ),
      RUNS,
    );
  });

  test('mutated YAML bodies get no 5xx', async () => {
    const line = fc.tuple(
      fc.nat(4),
      fc.oneof(
        fc.constantFrom(
          'metadata:',
          'name: x',
          '- a',
          'kind: Event',
          '&a [*a]',
          '<<: *a',
          '!!js/function x',
          '? {}',
          '|',
          '>-',
          '---',
          '%YAML 9',
        ),
        mess(2),
      ),
    );
    const text = fc
      .array(line, { maxLength: 10 })
      .map((lines) => lines.map(([depth, content]) => '  '.repeat(depth) + content).join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, mutant(GOOD), garbled(mutant())), async (body) => {
        await probe({ method: 'POST', url: PATH, headers: { 'content-type': 'application/yaml' }, body });
      }),
      RUNS,
    );
  });

  test('random JSON patches get no 5xx', async () => {
    await seeded();
    const pointer = fc.oneof(
      fc.constantFrom(...PLACES).map((place) => place.map((step) => `/${step}`).join('')),
      fc.array(scrap(), { maxLength: 4 }).map((parts) => parts.map((part) => `/${part}`).join('')),
      fc.constantFrom(
        '/__proto__/polluted',
        '/constructor/prototype/polluted',
        '/metadata/labels/__proto__',
        '/metadata/finalizers/-',
        '/metadata/finalizers/00',
        '/metadata/finalizers/1e0',
        '/metadata/finalizers/99999999999',
        '/metadata/labels/a~2b',
        '',
      ),
    );
    const operation = fc.record(
      {
        op: fc.oneof(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), scrap()),
        path: pointer,
        from: pointer,
        value: value(),
      },
      { requiredKeys: ['op'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(operation, { maxLength: 4 }).map((list) => JSON.stringify(list)),
          garbled(fc.array(operation, { maxLength: 2 }).map((list) => JSON.stringify(list))),
          mess(),
        ),
        async (body) => {
          await probe({
            method: 'PATCH',
            url: `${PATH}/seed`,
            headers: { 'content-type': 'application/json-patch+json' },
            body,
          });
        },
      ),
      RUNS,
    );
  });

  test.each(['application/merge-patch+json', 'application/strategic-merge-patch+json'])(
    'random patches get no 5xx: %s',
    async (type) => {
      await seeded();
      const directives = {
        metadata: {
          $retainKeys: ['name'],
          '$deleteFromPrimitiveList/finalizers': ['example.com/a'],
          '$setElementOrder/ownerReferences': [{ uid: 'u' }],
          ownerReferences: [{ $patch: 'delete', uid: 'u' }, { $patch: 'replace' }],
          labels: { $patch: 'replace', a: null },
        },
        series: { $patch: 'merge' },
      };
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(mutant(GOOD), mutant(), mutant(directives), garbled(mutant(directives)), mess()),
          async (body) => {
            await probe({ method: 'PATCH', url: `${PATH}/seed`, headers: { 'content-type': type }, body });
          },
        ),
        RUNS,
      );
    },
  );

  test('random DeleteOptions get no 5xx', async () => {
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u', resourceVersion: '1' },
      orphanDependents: false,
      propagationPolicy: 'Background',
      dryRun: ['All'],
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutant(options), garbled(mutant(options)), mess()), fc.boolean(), async (body, all) => {
        await seeded();
        await probe({ method: 'DELETE', url: all ? PATH : `${PATH}/seed`, ...json(body) });
      }),
      { numRuns: 100 },
    );
  });

  test('random continue tokens get no 5xx', async () => {
    for (const name of ['a', 'b', 'c']) await send({ method: 'POST', url: PATH, ...json(event(name)) });
    const page = await send({ method: 'GET', url: `${PATH}?limit=1` });
    const token = (JSON.parse(page?.text ?? '') as { metadata: { continue: string } }).metadata.continue;
    const claims = JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/'))) as Json;
    const forged = mutant(claims).map((text) => Buffer.from(text).toString('base64url'));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(garbled(fc.constant(token)), forged, garbled(forged), mess()),
        fc.boolean(),
        async (text, everywhere) => {
          const response = await probe({
            method: 'GET',
            url: `${everywhere ? `${ROOT}/events` : PATH}?limit=2&continue=${escaped(text)}`,
          });
          expect([200, 400, 410, 504]).toContain(response?.status);
        },
      ),
      RUNS,
    );
  });

  test('random selectors get no 5xx', async () => {
    await seeded();
    const word = fc.oneof(
      fc.constantFrom(
        'app',
        'web',
        'metadata.name',
        'reason',
        'type',
        'x/y',
        ...SCRAPS,
        ...POISON,
        'in',
        '(a,b)',
        '==',
        '!=',
      ),
      fc.string({ maxLength: 4 }),
    );
    const selector = fc.array(word, { maxLength: 9 }).map((words) => words.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('labelSelector', 'fieldSelector'),
        selector,
        fc.boolean(),
        async (name, text, watch) => {
          const url = `${PATH}?${name}=${escaped(text)}${watch ? '&watch=1' : ''}`;
          const response = await probe({ method: 'GET', url });
          expect([200, 400]).toContain(response?.status);
        },
      ),
      RUNS,
    );
  });
});

const MIB = 1024 * 1024;
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

describe('requests beyond a limit', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('get 413 for a body of 4 MiB in a %s', async (verb) => {
    await seeded();
    const url = verb === 'POST' ? PATH : `${PATH}/seed`;
    const type = verb === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    for (const body of [new Uint8Array(4 * MIB), `{"note":"${'x'.repeat(4 * MIB)}"}`]) {
      const response = await probe({ method: verb, url, headers: { 'content-type': type }, body });
      expect(response?.status).toBe(413);
    }
  });

  const depths: [string, string][] = [
    ['arrays', nested(10_000, '[', ']')],
    ['objects', nested(10_000, '{"a":', '}').replace(':}', ':1}')],
    ['arrays that never close', '['.repeat(1_000_000)],
    ['labels', JSON.stringify(event('deep')).replace('"web"', nested(10_000, '[', ']'))],
    [
      'managed fields',
      JSON.stringify(event('deep')).replace(
        '"labels"',
        `"managedFields":[{"fieldsV1":${nested(10_000, '{"f:a":', '}').replace(':}', ':{}}')}}],"labels"`,
      ),
    ],
    [
      'an unknown field',
      JSON.stringify(event('deep')).replace('"series"', `"unknown":${nested(10_000, '[', ']')},"series"`),
    ],
  ];
  test.each(depths)('are refused with a 4xx for 10,000 levels of %s', async (_title, body) => {
    await seeded();
    for (const [verb, url, type] of [
      ['POST', PATH, 'application/json'],
      ['POST', PATH, 'application/yaml'],
      ['PUT', `${PATH}/seed`, 'application/json'],
      ['PATCH', `${PATH}/seed`, 'application/json-patch+json'],
      ['PATCH', `${PATH}/seed`, 'application/merge-patch+json'],
      ['PATCH', `${PATH}/seed`, 'application/strategic-merge-patch+json'],
      ['DELETE', `${PATH}/seed`, 'application/json'],
    ] as const) {
      if (type === 'application/yaml' && body.length > 100_000) continue;
      await seeded();
      const response = await probe({ method: verb, url, headers: { 'content-type': type }, body });
      expect([verb, type, Math.floor((response?.status ?? 0) / 100)]).toEqual([verb, type, 4]);
    }
  });

  test('are refused where a patch would make the event too large', async () => {
    await seeded();
    const big = 'x'.repeat(100_000);
    const copies = Array.from({ length: 200 }, (_, index) => ({
      op: 'copy',
      from: '/metadata/annotations',
      path: `/metadata/annotations/k${index}`,
    }));
    const body = JSON.stringify([{ op: 'add', path: '/metadata/annotations', value: { a: big } }, ...copies]);
    const response = await probe({
      method: 'PATCH',
      url: `${PATH}/seed`,
      headers: { 'content-type': 'application/json-patch+json' },
      body,
    });
    expect(response?.status).toBeGreaterThanOrEqual(400);
  });

  test('are refused where YAML aliases would expand without limit', async () => {
    const laughs = Array.from(
      { length: 30 },
      (_, index) =>
        `a${index}: &a${index} [${Array(9)
          .fill(index === 0 ? 'x' : `*a${index - 1}`)
          .join(', ')}]`,
    );
    const response = await probe({
      method: 'POST',
      url: PATH,
      headers: { 'content-type': 'application/yaml' },
      body: laughs.join('\n'),
    });
    expect(response?.status).toBe(400);
  });

  test('get 431 for a path or query of 100,000 characters, and 406 for an Accept of 20,000 types', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `p${index}=1`).join('&');
    for (const url of [`${PATH}?${many}`, `${PATH}/${'a'.repeat(100_000)}`, `${ROOT}${'/'.repeat(100_000)}`]) {
      expect((await probe({ method: 'GET', url }))?.status).toBe(431);
    }
    const accept = Array.from({ length: 20_000 }, () => 'application/x;q=0.1').join(',');
    expect((await probe({ method: 'GET', url: PATH, headers: { accept } }))?.status).toBe(406);
  });
});

/** Texts on which a regular expression with ambiguous repetitions would backtrack for ever. */
const LONG = 100_000;
const PATHOLOGICAL: [string, string][] = [
  ['letters', `${'a'.repeat(LONG)}!`],
  ['dashes', `${'a-'.repeat(LONG / 2)}!`],
  ['dots', `${'a.'.repeat(LONG / 2)}!`],
  ['blanks', `a${' '.repeat(LONG)}!`],
  ['digits', `${'1'.repeat(LONG)}!`],
  ['zeros', `${'0'.repeat(LONG)}!`],
  ['commas', `${','.repeat(LONG)}!`],
  ['brackets', `a in ${'('.repeat(LONG)}!`],
  ['backslashes', `${'\\'.repeat(LONG)}!`],
  ['slashes', `${'/'.repeat(LONG)}!`],
  ['slashes and letters', `${'a/'.repeat(LONG / 2)}!`],
  ['a long time', `2026-03-05T06:07:08.${'1'.repeat(LONG)}!`],
  ['a long duration', `${'1h'.repeat(LONG / 2)}!`],
];

describe('text that makes a backtracking regular expression slow', () => {
  test.each(PATHOLOGICAL)('gets a response within a minute in every field: %s', async (_title, text) => {
    for (const place of PLACES) {
      if (place.length === 0) continue;
      const body = structuredClone(TEMPLATE);
      let holder: Json = body;
      for (const step of place.slice(0, -1)) holder = holder[step] as Json;
      const last = place.at(-1) as string;
      if (typeof holder[last] === 'object' && !Array.isArray(holder[last])) (holder[last] as Json)[text] = text;
      else holder[last] = text;
      await probe({ method: 'POST', url: `${PATH}?dryRun=All`, ...json(body) });
    }
  });

  test.each(PATHOLOGICAL)(
    'gets a response within a minute in every parameter, in the path and in headers: %s',
    async (_title, text) => {
      await seeded();
      for (const name of PARAMETERS) await probe({ method: 'GET', url: `${PATH}?${name}=${escaped(text)}` });
      await probe({ method: 'GET', url: `${PATH}?${escaped(text)}` });
      await probe({ method: 'GET', url: `${PATH}?watch=1&labelSelector=${escaped(text)}` });
      for (const name of ['a', 'a in (b),', '!', 'a='])
        await probe({ method: 'GET', url: `${PATH}?labelSelector=${name}${escaped(text)}` });
      await probe({ method: 'GET', url: `${PATH}?fieldSelector=metadata.name%3D${escaped(text)}` });
      await probe({ method: 'GET', url: `${PATH}/${escaped(text)}` });
      await probe({ method: 'GET', url: `${ROOT}/namespaces/${escaped(text)}/events` });
      await probe({ method: 'POST', url: `${ROOT}/namespaces/${escaped(text)}/events`, ...json(event('a')) });
      for (const name of ['accept', 'accept-encoding', 'content-type', 'authorization', 'audit-id', 'if-none-match']) {
        for (const around of [
          text,
          `application/json;${text}`,
          `application/json,${text}`,
          `"${text}`,
          `Bearer ${text}`,
        ]) {
          await probe({
            method: 'POST',
            url: `${PATH}?dryRun=All`,
            headers: { [name]: around },
            body: JSON.stringify(event('a')),
          });
        }
        await probe({ method: 'GET', url: '/openapi/v3/apis/events.example.com/v1', headers: { [name]: text } });
      }
      await probe({ method: 'POST', url: PATH, headers: { 'content-type': 'application/yaml' }, body: text });
      await probe({
        method: 'PATCH',
        url: `${PATH}/seed`,
        headers: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify([{ op: 'add', path: `/${text}`, value: 1 }]),
      });
    },
  );
});
