import { describe, expect, test, vi } from 'vitest';
import type { Observation } from '../../../../src/observe/observation.js';
import { bodyAborted } from '../../../../src/http/body.js';
import type { EventsOptions } from '../../../../src/events/options.js';
import { bench, event, path, ROOT, settled } from '../bench.js';

describe('a request whose response has been sent', () => {
  test('listens to its client no longer', async () => {
    const { create, events } = bench({}, (store) => ({
      ...store,
      get: (key, call) => (void call?.signal, store.get(key)),
    }));
    await create('a');
    const client = new AbortController();
    const add = vi.spyOn(client.signal, 'addEventListener');
    const remove = vi.spyOn(client.signal, 'removeEventListener');
    for (const name of ['a', 'none']) {
      await events.handle({ method: 'GET', url: path(`/${name}`), headers: {}, signal: client.signal });
    }
    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([2, 2]);
  });
});

test('a request whose body breaks off gets a 400 that says so', async () => {
  const { events } = bench();
  const response = await events.handle({
    method: 'POST',
    url: path(),
    headers: { 'content-length': '100' },
    body: () => Promise.reject(bodyAborted()),
  });
  expect(JSON.parse(String(response?.body))).toMatchObject({
    message: 'the request body ended before it was complete',
    reason: 'BadRequest',
    code: 400,
  });
});

describe('a bearer token after two spaces', () => {
  const warned = async (value: string): Promise<unknown> => {
    const { ask, create } = bench();
    await create('a');
    return (await ask(`GET ${path('/a')}`, { headers: { authorization: value } })).headers['warning'];
  };

  test('is ignored, and the client is warned of it', async () => {
    expect([await warned('Bearer  token')].flat()).toEqual([
      '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
    ]);
    expect(await warned('Bearer token')).toBeUndefined();
  });

  test('causes no warning for callers of events.as', async () => {
    const { create, events } = bench();
    await create('a');
    const handle = events.as({ name: 'tester', groups: [] });
    const response = await handle({ method: 'GET', url: path('/a'), headers: { authorization: 'Bearer  token' } });
    expect(response?.headers).not.toHaveProperty('warning');
  });
});

test('a client that leaves before its write begins causes neither a change nor an error for the observer', async () => {
  const { ask, observed, revision } = bench();
  const before = await revision();
  const response = await ask(`POST ${path()}`, { json: event('a'), signal: AbortSignal.abort() });
  expect(response.status).toBe(504);
  expect(await revision()).toBe(before);
  expect(observed.filter(({ type }) => type === 'error')).toEqual([]);
});

type RequestSeen = Extract<Observation, { type: 'request' }>;

/** What was reported of a request, and the length of its response. */
async function reported(
  line: string,
  json?: object,
  options: Partial<EventsOptions> = {},
): Promise<[RequestSeen | undefined, number]> {
  const { ask, create, observed } = bench(options);
  if (options.authenticate === undefined) await create('a');
  const response = await ask(line, { ...(json && { json }) });
  const bytes = new TextEncoder().encode(await response.text()).length;
  return [requestsIn(observed).at(-1), bytes];
}

const requestsIn = (observed: readonly Observation[]): RequestSeen[] =>
  observed.filter((one): one is RequestSeen => one.type === 'request');

const OURS = { group: 'events.example.com', version: 'v1', resource: 'events' };
const NONE = { group: '', version: '', resource: '', namespace: '', scope: '' };

test.each([
  [`GET ${path('/a')}`, 200, { ...OURS, verb: 'get', namespace: 'default', scope: 'resource' }],
  [`GET ${path()}`, 200, { ...OURS, verb: 'list', namespace: 'default', scope: 'namespace' }],
  [`GET ${ROOT}/events`, 200, { ...OURS, verb: 'list', namespace: '', scope: 'cluster' }],
  [`PUT ${path('/a')}`, 400, { ...OURS, verb: 'update', namespace: 'default', scope: 'resource' }],
  [`TRACE ${path('/a')}`, 405, { ...OURS, verb: 'trace', namespace: 'default', scope: 'resource' }],
  [`GET ${ROOT}`, 200, { ...NONE, verb: 'get' }],
  [`GET ${ROOT}/pods`, 404, { ...NONE, verb: 'list' }],
  ['GET /apis/events.example.com/v9/namespaces/default/events/a', 404, { ...NONE, verb: 'get' }],
])('%s is reported with its status, its attributes and the length of the response', async (line, status, expected) => {
  const [observation, responseBytes] = await reported(line);
  expect(observation).toMatchObject({ ...expected, status, caller: 'tester', dryRun: '', responseBytes });
});

test('a create is reported as a write to one object', async () => {
  const [observation] = await reported(`POST ${path()}`, event('b'));
  expect(observation).toMatchObject({ ...OURS, verb: 'create', status: 201, namespace: 'default', scope: 'resource' });
});

test('a request that was not authenticated is reported without a caller, with its attributes', async () => {
  const [observation] = await reported(`GET ${path('/a')}`, undefined, { authenticate: () => undefined });
  expect(observation).toMatchObject({ ...OURS, verb: 'get', status: 401, scope: 'resource' });
  expect(observation?.caller).toBeUndefined();
});

test('a request beyond the limit of reads is reported with 429, before the one that holds the place', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { ask, observed } = bench({ limits: { reads: 1, queued: 0 } }, (store) => ({
    ...store,
    get: async (key, call) => {
      await gate;
      return store.get(key, call);
    },
  }));
  const first = ask(`GET ${path('/a')}`);
  await settled();
  const refused = await ask(`GET ${path('/b')}`);
  expect(refused.status).toBe(429);
  const responseBytes = new TextEncoder().encode(await refused.text()).length;
  const report = { ...OURS, verb: 'get', namespace: 'default', scope: 'resource', caller: 'tester' };
  expect(requestsIn(observed)).toEqual([
    expect.objectContaining({ ...report, url: path('/b'), status: 429, responseBytes }),
  ]);
  open?.();
  expect((await first).status).toBe(404);
  expect(requestsIn(observed).at(-1)).toMatchObject({ ...report, url: path('/a'), status: 404 });
});

test.each([
  ['', ''],
  ['?dryRun=All', 'All'],
  ['?dryRun=All&dryRun=All', 'All'],
  ['?dryRun=x', 'invalid'],
  ['?dryRun=All&dryRun=x', 'invalid'],
])('dryRun of DELETE …/none%s is reported as %j', async (query, dryRun) => {
  const [observation] = await reported(`DELETE ${path('/none')}${query}`);
  expect(observation?.dryRun).toBe(dryRun);
});
