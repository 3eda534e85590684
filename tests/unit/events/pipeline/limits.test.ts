import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../../../src/testing/call.js';
import { bench, CALLER, event, path, settled } from '../bench.js';

/** One place of each kind: a response that does not free it makes the next request a 429. */
const ONE = { reads: 1, writes: 1, watches: 1, queued: 0 };
const MERGE = { 'content-type': 'application/merge-patch+json' };

describe('a place in flight is freed after', () => {
  const cases: [string, string, CallOptions, number][] = [
    ['a get', `GET ${path('/a')}`, {}, 200],
    ['a get that finds nothing', `GET ${path('/none')}`, {}, 404],
    ['a list', `GET ${path()}`, {}, 200],
    ['a table', `GET ${path()}`, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }, 200],
    ['yaml', `GET ${path()}`, { headers: { accept: 'application/yaml' } }, 200],
    ['a bad selector', `GET ${path()}?labelSelector=!!`, {}, 400],
    ['a bad Accept', `GET ${path()}`, { headers: { accept: 'image/png' } }, 406],
    ['a HEAD', `HEAD ${path()}`, {}, 405],
    ['discovery', 'GET /apis', {}, 200],
    ['an unknown path', 'GET /apis/events.example.com/v1/none', {}, 404],
    ['a create', `POST ${path()}`, { json: event('b') }, 201],
    ['a create that is refused', `POST ${path()}`, { json: {} }, 422],
    ['broken JSON', `POST ${path()}`, { body: '{' }, 400],
    ['a body over the limit', `POST ${path()}`, { body: 'x'.repeat(2_000) }, 413],
    ['a bad media type', `POST ${path()}`, { body: 'x', headers: { 'content-type': 'text/html' } }, 415],
    ['a patch', `PATCH ${path('/a')}`, { body: '{}', headers: MERGE }, 200],
    ['an unknown patch', `PATCH ${path('/a')}`, { body: '{}' }, 415],
    ['a delete of nothing', `DELETE ${path('/none')}`, {}, 404],
    ['a deletecollection', `DELETE ${path()}?labelSelector=none`, {}, 200],
    ['a watch that is over at once', `GET ${path()}?watch=1&timeoutSeconds=-1`, {}, 200],
    ['a watch with a bad revision', `GET ${path()}?watch=1&resourceVersion=x`, {}, 400],
    ['a watch with a bad selector', `GET ${path()}?watch=1&fieldSelector=x`, {}, 400],
    ['a watch with a bad Accept', `GET ${path()}?watch=1`, { headers: { accept: 'image/png' } }, 406],
  ];
  test.each(cases)('the end of a request: %s', async (_title, target, how, status) => {
    const { ask, create } = bench({ limits: ONE, maxBodyBytes: 1_000 });
    await create('a');
    for (let round = 0; round < 3; round++) {
      const response = await ask(
        target,
        target.startsWith('POST') && status === 201 ? { json: event(`b${round}`) } : how,
      );
      expect(response.status).toBe(status);
      await response.text();
    }
    const watch = await ask(`GET ${path()}?watch=1&timeoutSeconds=-1`);
    expect(watch.status).toBe(200);
  });

  test('a refusal by the authorizer, and an authorizer that throws', async () => {
    for (const authorize of [
      () => ({ allowed: false }),
      () => {
        throw new Error('secret');
      },
    ]) {
      const { ask } = bench({ limits: ONE, authorize });
      const statuses: number[] = [];
      for (const target of [`GET ${path()}`, `POST ${path()}`, `GET ${path()}?watch=1`]) {
        for (let round = 0; round < 3; round++) statuses.push((await ask(target, { body: '{}' })).status);
      }
      expect(new Set(statuses).size).toBe(1);
      expect(statuses[0]).not.toBe(429);
    }
  });
});

const ANSWERS = { authenticate: CALLER, authorize: { allowed: true } };

describe('a watch holds its place in flight', () => {
  test('until the client disconnects', async () => {
    const { ask } = bench({ limits: ONE });
    const client = new AbortController();
    const watch = await ask(`GET ${path()}?watch=1`, { signal: client.signal });
    const end = watch.text();
    const refused = await ask(`GET ${path()}?watch=1`);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'retry-after': '1' });
    expect(await refused.text()).toContain('Too many requests, please try again later.');
    client.abort();
    await end;
    expect((await ask(`GET ${path()}?watch=1&timeoutSeconds=-1`)).status).toBe(200);
  });

  test('until the client disconnects, even if nothing was ever read', async () => {
    const { ask } = bench({ limits: ONE });
    const client = new AbortController();
    await ask(`GET ${path()}?watch=1`, { signal: client.signal });
    client.abort();
    expect((await ask(`GET ${path()}?watch=1`)).status).toBe(200);
  });

  test('until its time is up', async () => {
    const { ask, clock } = bench({ limits: ONE });
    const end = (await ask(`GET ${path()}?watch=1&timeoutSeconds=5`)).text();
    await settled();
    expect((await ask(`GET ${path()}?watch=1`)).status).toBe(429);
    clock.advance(5_000);
    expect(await end).toBe('');
    expect((await ask(`GET ${path()}?watch=1`)).status).toBe(200);
  });

  test('until the deadline of requests where a hook never settles', async () => {
    const never = new Promise<never>(() => undefined);
    for (const hook of ['authenticate', 'authorize'] as const) {
      const hanging = { [hook]: () => (clock.monotonic() === begun ? never : ANSWERS[hook]) };
      const { ask, clock } = bench({ limits: ONE, requestTimeoutMs: 20_000, ...hanging });
      const begun = clock.monotonic();
      const pending = ask(`GET ${path()}?watch=1&timeout=1s`);
      await settled();
      clock.advance(19_999);
      await settled();
      clock.advance(1);
      const response = await pending;
      expect([response.status, await response.json()]).toMatchObject([504, { reason: 'Timeout' }]);
      clock.advance(500);
      const watch = await ask(`GET ${path()}?watch=1`);
      expect(watch.status).toBe(200);
      let ended = false;
      const end = watch.text().then(() => (ended = true));
      await settled();
      clock.advance(1_000_000);
      await settled();
      expect(ended).toBe(false);
      clock.advance(3_600_000);
      await end;
    }
  });

  test('until the service closes, and later watches end at once', async () => {
    const { ask, events } = bench({ limits: ONE });
    const end = (await ask(`GET ${path()}?watch=1`)).text();
    await settled();
    await events.close();
    expect(await end).toBe('');
    expect(await (await ask(`GET ${path()}?watch=1`)).text()).toBe('');
  });

  test('of its own kind, so that reads and writes continue', async () => {
    const { ask, create } = bench({ limits: ONE });
    await ask(`GET ${path()}?watch=1`);
    await create('a');
    expect((await ask(`GET ${path()}`)).status).toBe(200);
  });
});

test('requests beyond the limit are 429 and change nothing, and those in flight continue', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { ask, revision } = bench({ limits: ONE }, (store) => ({
    ...store,
    create: async (key, encoded, options) => {
      await gate;
      return store.create(key, encoded, options);
    },
  }));
  const before = await revision();
  const first = ask(`POST ${path()}`, { json: event('a') });
  await settled();
  const second = await ask(`POST ${path()}`, { json: event('b') });
  expect(second.status).toBe(429);
  expect(second.headers).toHaveProperty('audit-id');
  expect((await ask(`GET ${path()}`)).status).toBe(200);
  expect(await revision()).toBe(before);
  open?.();
  expect((await first).status).toBe(201);
  expect((await ask(`POST ${path()}`, { json: event('b') })).status).toBe(201);
});

test('system:masters is never refused', async () => {
  const master = { name: 'root', groups: ['system:masters'] };
  const { ask, create } = bench({ limits: ONE, authenticate: () => master });
  await create('a');
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(`GET ${path('/a')}`)));
  expect(responses.every(({ status }) => status === 200)).toBe(true);
});

test('refusals of a known caller do not wait behind those of unauthenticated clients at its address', async () => {
  const { ask } = bench({ authenticate: ({ headers }) => (headers?.['authorization'] ? CALLER : undefined) });
  const order: string[] = [];
  const flood = Array.from({ length: 200 }, () => ask(`GET ${path('/none')}`, { remoteAddress: '192.0.2.1' }));
  for (const each of flood) void each.then(({ status }) => order.push(String(status)));
  const known = await ask(`GET ${path('/none')}`, { remoteAddress: '192.0.2.1', token: 'known' });
  expect(known.status).toBe(404);
  expect(order.length).toBeLessThan(100);
  await Promise.all(flood);
  expect(new Set(order)).toEqual(new Set(['401']));
});
