import { describe, expect, it } from 'vitest';
import type { EventRateLimit } from '../../../../src/limits/event-rate-limits.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { bench, event, path, type Bench } from '../bench.js';

const CORE = '/api/v1/namespaces/default/events';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const SERIES = { count: 2, lastObservedTime: '2026-03-05T06:09:09.000000Z' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const limited = (burst: number, type: EventRateLimit['type'] = 'Namespace'): Bench =>
  bench({ coreV1: true, eventRateLimits: [{ type, qps: 0.5, burst }] });

const coreEvent = (name: string): object => ({
  metadata: { name, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  reason: 'Tested',
  type: 'Normal',
});

describe('a write beyond the rate', () => {
  it('is refused as kube-apiserver refuses it, with a Retry-After, and changes nothing', async () => {
    const { ask, revision } = limited(1);
    await ask(`POST ${path()}`, { json: event('a') });
    const before = await revision();
    const response = await ask(`POST ${path()}`, { json: event('b') });
    expect([response.status, response.headers['retry-after']]).toEqual([429, '2']);
    expect(await response.json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Too many requests: limit reached on type Namespace for key default',
      reason: 'TooManyRequests',
      code: 429,
    });
    expect(await revision()).toBe(before);
    expect((await ask(`GET ${path('/b')}`)).status).toBe(404);
  });

  it('is accepted again after some time', async () => {
    const { ask, clock } = limited(1);
    await ask(`POST ${path()}`, { json: event('a') });
    expect((await ask(`POST ${path()}`, { json: event('b') })).status).toBe(429);
    clock.advance(2_000);
    expect((await ask(`POST ${path()}`, { json: event('b') })).status).toBe(201);
  });

  it('counts once, however often it is restarted after concurrent writes', async () => {
    let races = 5;
    const { json } = bench({ eventRateLimits: [{ type: 'Namespace', qps: 0.5, burst: 2 }] }, (store) => ({
      ...store,
      replace: (...args) => (races-- > 0 ? Promise.reject(storeError('conflict', 'raced')) : store.replace(...args)),
    }));
    expect((await json(`POST ${path()}`, event('a'))).status).toBe(201);
    const patched = await json(`PATCH ${path('/a')}`, { metadata: { labels: { a: '1' } } }, MERGE);
    expect([patched.status, races]).toEqual([200, -1]);
    expect((await json(`POST ${path()}`, event('b'))).status).toBe(429);
  });

  it('counts a write once that another client turns from a create into an update, or the reverse', async () => {
    let race: (() => unknown) | undefined;
    const raced = async (): Promise<void> => {
      const now = race;
      race = undefined;
      await now?.();
    };
    const limits = { eventRateLimits: [{ type: 'Namespace', qps: 0.001, burst: 3 }] } as const;
    const { json, store } = bench(limits, (inner) => ({
      ...inner,
      create: async (...args) => raced().then(() => inner.create(...args)),
      replace: async (...args) => raced().then(() => inner.replace(...args)),
    }));
    expect((await json(`POST ${path()}`, event('a'))).status).toBe(201);
    const key = { namespace: 'default', name: 'a' };
    race = () => store.remove(key);
    expect((await json(`PUT ${path('/a')}`, event('a', {}, { labels: { a: '1' } }))).status).toBe(201);
    const record = (await store.get(key)) as EventRecord;
    await store.remove(key);
    race = () => store.create(key, record.event, { expiresAt: record.expiresAt });
    expect((await json(`PUT ${path('/a')}`, event('a', {}, { labels: { a: '2' } }))).status).toBe(200);
    expect((await json(`POST ${path()}`, event('b'))).status).toBe(429);
  });

  it('counts in any version', async () => {
    const { ask } = limited(2);
    expect((await ask(`POST ${path()}`, { json: event('a') })).status).toBe(201);
    expect((await ask(`POST ${CORE}`, { json: coreEvent('b') })).status).toBe(201);
    const response = await ask(`POST ${CORE}`, { json: coreEvent('c') });
    expect(response.status).toBe(429);
    expect((await ask(`POST ${path()}`, { json: event('d') })).status).toBe(429);
  });

  it('counts together with others of the same source and object, whatever its name', async () => {
    const { ask } = limited(1, 'SourceAndObject');
    let made = 0;
    const about = (name: string): object => event(`e-${name}-${made++}`, { regarding: { kind: 'Pod', name } });
    expect((await ask(`POST ${path()}`, { json: about('a') })).status).toBe(201);
    expect((await ask(`POST ${path()}`, { json: about('b') })).status).toBe(201);
    const response = await ask(`POST ${path()}`, { json: about('a') });
    expect((await response.json<{ message: string }>()).message).toBe(
      'Too many requests: limit reached on type SourceAndObject for key Poda',
    );
  });
});

describe('a token is used by', () => {
  const refusedAfter = async (burst: number, ask: Bench['ask']): Promise<void> => {
    expect((await ask(`POST ${path()}`, { json: event(`last-${burst}`) })).status).toBe(429);
  };

  it('an update, a patch, and an apply that creates, even if nothing changes', async () => {
    const { ask } = limited(5);
    await ask(`POST ${path()}`, { json: event('a') });
    expect((await ask(`PUT ${path('/a')}`, { json: event('a', { series: SERIES }) })).status).toBe(200);
    expect((await ask(`PATCH ${path('/a')}`, { body: '{}', headers: MERGE })).status).toBe(200);
    const applied = JSON.stringify(event('new'));
    const target = `PATCH ${path('/new')}?fieldManager=t`;
    expect((await ask(target, { body: applied, headers: APPLY })).status).toBe(201);
    expect((await ask(target, { body: applied, headers: APPLY })).status).toBe(200);
    await refusedAfter(5, ask);
  });

  it('a write that the store refuses', async () => {
    const { ask } = limited(2);
    await ask(`POST ${path()}`, { json: event('a') });
    expect((await ask(`POST ${path()}`, { json: event('a') })).status).toBe(409);
    await refusedAfter(2, ask);
  });

  it('neither a dry run, nor a read, nor a delete, nor an invalid event', async () => {
    const { ask } = limited(2);
    await ask(`POST ${path()}`, { json: event('a') });
    for (let round = 0; round < 3; round += 1) {
      expect((await ask(`POST ${path()}?dryRun=All`, { json: event('b') })).status).toBe(201);
      expect((await ask(`PATCH ${path('/a')}?dryRun=All`, { body: '{}', headers: MERGE })).status).toBe(200);
      expect((await ask(`GET ${path('/a')}`)).status).toBe(200);
      expect((await ask(`POST ${path()}`, { json: event('c', { type: 'Odd' }) })).status).toBe(422);
    }
    expect((await ask(`DELETE ${path('/a')}`)).status).toBe(200);
    expect((await ask(`POST ${path()}`, { json: event('d') })).status).toBe(201);
    await refusedAfter(2, ask);
  });
});

it('nothing is refused without limits', async () => {
  const { ask } = bench({ eventRateLimits: [] });
  for (let index = 0; index < 50; index += 1) {
    expect((await ask(`POST ${path()}`, { json: event(`e-${index}`) })).status).toBe(201);
  }
});

it('all faults of the limits are reported', () => {
  expect(() => bench({ eventRateLimits: [{ type: 'User', qps: 0, burst: 0 }] })).toThrow(/qps[^]*burst/);
  expect(() => bench({ eventRateLimits: {} as never })).toThrow(/eventRateLimits must be a list/);
});
