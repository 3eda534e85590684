import { describe, expect, test, vi } from 'vitest';
import { bench, event, path } from '../bench.js';

describe('a request that has been answered', () => {
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
    const answer = await handle({ method: 'GET', url: path('/a'), headers: { authorization: 'Bearer  token' } });
    expect(answer?.headers).not.toHaveProperty('warning');
  });
});

test('a client that leaves before its write begins causes neither a change nor an error for the observer', async () => {
  const { ask, observed, revision } = bench();
  const before = await revision();
  const answer = await ask(`POST ${path()}`, { json: event('a'), signal: AbortSignal.abort() });
  expect(answer.status).toBe(504);
  expect(await revision()).toBe(before);
  expect(observed.filter(({ type }) => type === 'error')).toEqual([]);
});
