import { describe, expect, test } from 'vitest';
import { storeFailure } from '../../../../src/events/request/store-failures.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { storeError, type StoreErrorCode } from '../../../../src/store/contract/errors.js';
import { bench, event, path, type Bench } from '../bench.js';

const TABLE: readonly (readonly [StoreErrorCode, number, string])[] = [
  ['exists', 409, 'AlreadyExists'],
  ['not-found', 404, 'NotFound'],
  ['conflict', 409, 'Conflict'],
  ['expired', 410, 'Expired'],
  ['future-revision', 504, 'Timeout'],
  ['too-large', 413, 'RequestEntityTooLarge'],
  ['invalid-key', 400, 'BadRequest'],
  ['full', 507, 'InsufficientStorage'],
  ['unavailable', 503, 'ServiceUnavailable'],
  ['closed', 503, 'ServiceUnavailable'],
  ['unknown-outcome', 504, 'Timeout'],
];

test.each(TABLE)('the store error %s is %i %s', (code, status, reason) => {
  const failure = storeFailure(storeError(code, 'secret'), { group: 'events.example.com', resource: 'events' }, 'a');
  expect(failure.status).toMatchObject({ kind: 'Status', status: 'Failure', code: status, reason });
  expect(JSON.stringify(failure.status)).not.toContain('secret');
});

test.each<[StoreErrorCode, string]>([
  ['too-large', 'Request entity too large: the event is larger than the store accepts'],
  ['invalid-key', 'the event store cannot store an event with this name'],
  ['full', 'the event store is full, please try again when events have expired or were deleted'],
  ['unavailable', 'the event store is not available, please try again'],
])('the store error %s says: %s', (code, message) => {
  const { status } = storeFailure(storeError(code, 'secret'), { group: 'events.example.com', resource: 'events' }, 'a');
  expect(status.message).toBe(message);
});

test('the error of a future revision names the current one, and 0 if the store did not return it', () => {
  const resource = { group: 'events.example.com', resource: 'events' };
  const messageWith = (current?: number): string | undefined =>
    storeFailure(storeError('future-revision', 'secret', { current }), resource, 'a').status.message;
  expect(messageWith(7)).toBe('Timeout: Too large resource version: unknown, current: 7');
  expect(messageWith()).toBe('Timeout: Too large resource version: unknown, current: 0');
});

const asks: Readonly<
  Record<string, (bench: Bench) => Promise<{ status: number; headers: object; text: () => Promise<string> }>>
> = {
  get: ({ ask }) => ask(`GET ${path('/a')}`),
  list: ({ ask }) => ask(`GET ${path()}`),
  create: ({ ask }) => ask(`POST ${path()}`, { json: event('a') }),
  update: ({ ask }) => ask(`PUT ${path('/a')}`, { json: event('a', {}, { labels: { a: 'b' } }) }),
  patch: ({ ask }) =>
    ask(`PATCH ${path('/a')}`, {
      body: '{"metadata":{"labels":{"a":"b"}}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    }),
  delete: ({ ask }) => ask(`DELETE ${path('/a')}`),
  deletecollection: ({ ask }) => ask(`DELETE ${path()}`),
};

/** The store fails at everything. */
function failing(error: unknown): (store: EventStore) => EventStore {
  const reject = async (): Promise<never> => {
    await Promise.resolve();
    throw error;
  };
  return (store) => ({ ...store, get: reject, list: reject, create: reject, replace: reject, remove: reject });
}

describe.each(Object.entries(asks))('the verb %s', (verb, ask) => {
  test.each(['unavailable', 'closed', 'unknown-outcome', 'too-large', 'full'] as const)(
    'reports that the store is %s, and nothing else',
    async (code) => {
      const made = bench({}, failing(storeError(code, 'secret')));
      const response = await ask(made);
      expect(response.status).toBe(TABLE.find(([each]) => each === code)?.[1]);
      expect(JSON.stringify(response.headers) + (await response.text())).not.toContain('secret');
      expect(made.observed.filter(({ type }) => type === 'error')).toEqual([]);
    },
  );

  test.each([
    ['an error', new Error('secret password')],
    ['a text', 'secret password'],
    ['nothing', undefined],
    ['an object with a status', { status: { code: 200, message: 'secret password' } }],
  ])('makes a bare 500 of %s, and reports it to observe', async (_title, thrown) => {
    const made = bench({}, failing(thrown));
    const response = await ask(made);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.stringify(response.headers) + text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'InternalError', code: 500 });
    expect(made.observed.filter(({ type }) => type === 'error')).toEqual([
      { type: 'error', error: thrown, where: 'events' },
    ]);
    expect(made.observed.filter(({ type }) => type === 'request')).toMatchObject([{ verb, status: 500 }]);
  });
});
