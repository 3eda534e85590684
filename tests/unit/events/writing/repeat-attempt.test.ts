import { expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { bench, event, path } from '../bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

/** Refuses writes that a read has just allowed; fails when it has been called more often than any request should. */
function refuse(code: 'exists' | 'conflict' | 'not-found', attempts: { count: number }) {
  return (): Promise<never> => {
    attempts.count += 1;
    return Promise.reject(attempts.count > 500 ? new Error('too many attempts') : storeError(code, 'refused'));
  };
}

type Wrap = (store: EventStore, attempts: { count: number }) => Partial<EventStore>;
const exists: Wrap = (_, attempts) => ({
  get: () => Promise.resolve(undefined),
  create: refuse('exists', attempts),
});
const changed: Wrap = (_, attempts) => ({ replace: refuse('conflict', attempts) });
const gone: Wrap = (_, attempts) => ({ remove: refuse('not-found', attempts) });

test.each<[string, Wrap, string, string, unknown?, Record<string, string>?]>([
  ['an update', exists, 'PUT', '/a', event('a')],
  ['an update', changed, 'PUT', '/a', event('a', {}, { labels: { a: 'b' } })],
  ['an apply', exists, 'PATCH', '/a?fieldManager=tester', event('a'), APPLY],
  ['a patch', changed, 'PATCH', '/a', { metadata: { labels: { a: 'b' } } }, MERGE],
  ['a deletion', gone, 'DELETE', '/a'],
  ['a deletion of several events', gone, 'DELETE', ''],
])(
  '%s ends at its deadline if the reads of the store contradict its writes',
  async (_, wrap, method, rest, body, headers) => {
    const attempts = { count: 0 };
    let isTampered = false;
    const { clock, create, json } = bench({ requestTimeoutMs: 1_000 }, (store) => {
      const tampered = { ...store, ...wrap(store, attempts) };
      return {
        ...store,
        get: (key, call) => (isTampered ? tampered : store).get(key, call),
        create: (key, encoded, options) => (isTampered ? tampered : store).create(key, encoded, options),
        replace: (key, encoded, options) => (isTampered ? tampered : store).replace(key, encoded, options),
        remove: (key, options) => (isTampered ? tampered : store).remove(key, options),
      };
    });
    await create('a');
    // Loads the reader of YAML, which takes more turns of the event loop than the deadline of the fake clock.
    await json(`PATCH ${path('/b?fieldManager=tester&dryRun=All')}`, event('b'), APPLY);
    isTampered = true;
    let status: number | undefined;
    const answered = json(`${method} ${path(rest)}`, body, headers).then((response) => (status = response.status));
    for (let ms = 0; ms < 1_000; ms += 10) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(status).toBeUndefined();
      clock.advance(10);
    }
    await answered;
    expect(status).toBe(504);
    expect(attempts.count).toBeGreaterThan(8);
  },
);
