import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { statusFailure } from '../../../../src/api/status/status-failure.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { bench, event, path, settled } from '../bench.js';

describe('an error thrown by a hook', () => {
  const failures = [
    new Error('secret'),
    storeError('unavailable', 'secret'),
    statusFailure({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'secret', code: 418 }),
    'secret',
    undefined,
  ];

  test.each(failures.map((failure) => [failure]))('is a bare 500 and reported for authorize: %s', async (failure) => {
    const hooks = [
      () => {
        throw failure as Error;
      },
      () => Promise.reject(failure as Error),
    ];
    for (const authorize of hooks) {
      for (const headers of [{}, { 'impersonate-user': 'jane' }]) {
        const { ask, observed } = bench({ authorize, impersonation: true });
        const response = await ask(`GET ${path()}`, { headers });
        expect(response.status).toBe(500);
        expect(await response.json()).toMatchObject({ message: 'Internal error occurred', reason: 'InternalError' });
        expect(observed.filter(({ type }) => type === 'error')).toEqual([
          { type: 'error', error: failure, where: 'events: authorize' },
        ]);
      }
    }
  });

  test('is a bare 500 when authorize is called for a second right, and nothing is written', async () => {
    const failure = storeError('unavailable', 'secret');
    const { json, observed, store } = bench({
      authorize: (_, { verb }) => {
        if (verb === 'create') throw failure;
        return { allowed: true };
      },
    });
    expect((await json(`PUT ${path('/a')}`, event('a'))).status).toBe(500);
    expect(observed).toContainEqual({ type: 'error', error: failure, where: 'events: authorize' });
    expect(await store.get({ namespace: 'default', name: 'a' })).toBeUndefined();
  });

  test('is a 401 and reported for authenticate', async () => {
    for (const failure of failures) {
      const { ask, observed } = bench({ authenticate: () => Promise.reject(failure as Error) });
      const response = await ask(`GET ${path()}`);
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain('secret');
      expect(observed).toContainEqual({ type: 'error', error: failure, where: 'events: authenticate' });
    }
  });

  test('is reported in the same way as a response of authorize that is not a decision, which denies', async () => {
    const { ask, observed, store } = bench({ authorize: () => ({ allowed: 1 as never }) });
    expect((await ask(`POST ${path()}`, { json: event('a') })).status).toBe(403);
    expect(observed).toContainEqual(expect.objectContaining({ type: 'error', where: 'events: authorize' }));
    expect(await store.get({ namespace: 'default', name: 'a' })).toBeUndefined();
  });
});

test('a feed that breaks off is reported to observe', async () => {
  const { ask, observed } = bench({}, (store) => ({
    ...store,
    changes: () => {
      throw storeError('unavailable', 'the engine is away');
    },
  }));
  const client = new AbortController();
  const watch = (await ask(`GET ${path()}?watch=1`, { signal: client.signal })).text();
  await settled();
  client.abort();
  await watch;
  expect(observed.filter(({ type }) => type === 'error')).toMatchObject([
    { where: 'watch feed of memory', error: { code: 'unavailable' } },
  ]);
});

describe('a refusal', () => {
  const status = (message: string, details: object): object => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Forbidden',
    details,
    code: 403,
  });
  const group = 'events.example.com';
  const refusals: [string, object][] = [
    [`GET /apis/${group}/v1`, status(`forbidden: User "tester" cannot get path "/apis/${group}/v1": why`, {})],
    [
      `GET ${path('/a')}`,
      status(
        `events.${group} "a" is forbidden: User "tester" cannot get resource "events" in API group "${group}" in the namespace "default": why`,
        { name: 'a', group, kind: 'events' },
      ),
    ],
    [
      `DELETE ${path()}`,
      status(
        `events.${group} is forbidden: User "tester" cannot deletecollection resource "events" in API group "${group}" in the namespace "default": why`,
        { group, kind: 'events' },
      ),
    ],
  ];

  test.each(refusals)(
    'of %s is a Status with the details of kube-apiserver, and no others',
    async (target, expected) => {
      const responses = [
        () => ({ allowed: false, reason: 'why' }),
        () => Promise.resolve({ allowed: false, reason: 'why' }),
      ];
      for (const authorize of responses) {
        const { ask } = bench({ authorize });
        const response = await ask(target);
        expect([response.status, response.headers['x-content-type-options']]).toEqual([403, 'nosniff']);
        expect((await response.text()).trimEnd()).toBe(JSON.stringify(expected));
        const yaml = await ask(target, { headers: { accept: 'application/yaml' } });
        expect(parse(await yaml.text())).toEqual(expected);
      }
    },
  );
});
