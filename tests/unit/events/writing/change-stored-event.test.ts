import { describe, expect, test } from 'vitest';
import { encodeEvent, decodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { EventKey, EventStore } from '../../../../src/store/contract/event-store.js';
import { bench, event, metaOf, path, settled, type Json } from '../bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const KEY: EventKey = { namespace: 'default', name: 'a' };

/** Somebody else's write of an annotation. */
async function elsewhere(store: EventStore, by: string): Promise<void> {
  const record = await store.get(KEY);
  if (!record) throw new Error('nothing to change');
  const event = decodeEvent(record.event.bytes);
  const encoded = encodeEvent({ ...event, metadata: { ...event.metadata, annotations: { by } } });
  await store.replace(KEY, encoded, { expected: record.revision, expiresAt: record.expiresAt });
}

/** A store in which somebody else writes just before each of the first `times` replacements. */
function contended(times: number): { wrap: (store: EventStore) => EventStore; attempts: () => number } {
  let attempts = 0;
  return {
    attempts: () => attempts,
    wrap: (store) => ({
      ...store,
      async replace(key, encoded, options) {
        if (attempts++ < times) await elsewhere(store, `${attempts}`);
        return store.replace(key, encoded, options);
      },
    }),
  };
}

describe('a concurrent write', () => {
  test('restarts a patch on the new state', async () => {
    const { wrap, attempts } = contended(3);
    const { create, json } = bench({}, wrap);
    await create('a');
    const response = await json(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y' } } }, MERGE);
    expect(response.status).toBe(200);
    expect(attempts()).toBe(4);
    expect(metaOf(response.json)).toMatchObject({ annotations: { by: '3' }, labels: { x: 'y' } });
  });

  test.each([
    ['merge', MERGE],
    ['JSON', { 'content-type': 'application/json-patch+json' }],
  ])('keeps duplicate owners out of a %s patch that is tried again, with one warning', async (type, headers) => {
    const { wrap, attempts } = contended(2);
    const { ask, create, json } = bench({}, wrap);
    const owner: Json = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'u1' };
    await create('a', {}, { ownerReferences: [owner] });
    const other = { ...owner, name: 'web-2', uid: 'u2' };
    const ownerReferences = [owner, other, other];
    const patch =
      type === 'JSON'
        ? [{ op: 'replace', path: '/metadata/ownerReferences', value: ownerReferences }]
        : { metadata: { ownerReferences } };
    const response = await ask(`PATCH ${path('/a')}`, { body: JSON.stringify(patch), headers });
    expect([response.status, attempts()]).toEqual([200, 3]);
    expect([response.headers['warning']].flat()).toEqual([expect.stringContaining('duplicate entries')]);
    const stored = metaOf((await json(`GET ${path('/a')}`)).json);
    expect(stored).toMatchObject({ annotations: { by: '2' } });
    expect(stored['ownerReferences']).toEqual([owner, other]);
    expect(metaOf(await response.json())).toEqual(stored);
  });

  test('does not stop an update without a resourceVersion', async () => {
    const { wrap, attempts } = contended(2);
    const { create, json } = bench({}, wrap);
    await create('a');
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { labels: { x: 'y' } }));
    expect(response.status).toBe(200);
    expect(attempts()).toBe(3);
    expect(metaOf(response.json)).not.toHaveProperty('annotations');
  });

  test('is a conflict for a caller who gave a resourceVersion', async () => {
    const { wrap, attempts } = contended(1);
    const { create, json } = bench({}, wrap);
    const created = await create('a');
    const resourceVersion = metaOf(created)['resourceVersion'] as string;
    const response = await json(`PATCH ${path('/a')}`, { metadata: { resourceVersion, labels: { x: 'y' } } }, MERGE);
    expect(response.status).toBe(409);
    expect(response.json).toMatchObject({ reason: 'Conflict', details: { name: 'a', kind: 'events' } });
    expect(attempts()).toBe(1);
    expect(metaOf((await json(`GET ${path('/a')}`)).json)).not.toHaveProperty('labels');
  });

  test('that deletes the event makes a patch 404 and an update a create', async () => {
    let times = 2;
    const { create, json } = bench({}, (store) => ({
      ...store,
      async replace(key, encoded, options) {
        if (times-- > 0) await store.remove(KEY);
        return store.replace(key, encoded, options);
      },
    }));
    await create('a');
    expect((await json(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y' } } }, MERGE)).status).toBe(404);
    await create('a');
    expect((await json(`PUT ${path('/a')}`, event('a', {}, { labels: { x: 'y' } }))).status).toBe(201);
  });
});

describe('the resourceVersion of the caller', () => {
  test.each([
    ['that of the event', (current: string) => current, 200],
    ['an older one', (current: string) => String(Number(current) - 1), 409],
    ['one of the future', () => '18446744073709551615', 409],
    ['0, which is none', () => '0', 200],
    ['an empty one, which is none', () => '', 200],
    ['no number', () => 'abc', 400],
    ['a negative one', () => '-1', 400],
    ['too large for 64 bits', () => '18446744073709551616', 400],
  ])('is checked: %s', async (_title, sent, expected) => {
    const { create, json, revision } = bench();
    const created = await create('a');
    const before = await revision();
    const resourceVersion = sent(metaOf(created)['resourceVersion'] as string);
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { resourceVersion, labels: { x: 'y' } }));
    expect(response.status).toBe(expected);
    expect((await revision()) === before).toBe(expected !== 200);
  });
});

describe('the resourceVersion of an update that creates the event', () => {
  test.each([
    ['none', undefined, 201],
    ['0, which is none', '0', 201],
    ['a revision, which is ignored as in kube-apiserver', '1', 201],
    ['no number', 'abc', 400],
    ['a negative one', '-1', 400],
  ])('is checked: %s', async (_title, resourceVersion, expected) => {
    const { json, revision } = bench();
    const before = await revision();
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { resourceVersion }));
    expect(response.status).toBe(expected);
    expect((await revision()) === before).toBe(expected !== 201);
  });
});

describe('a change that changes nothing', () => {
  test('is not written: revision and expiry stay the same', async () => {
    const { create, json, revision, store } = bench();
    const created = await create('a', {}, { labels: { x: 'y' } });
    const before = await store.get(KEY);
    for (const response of [
      await json(`PATCH ${path('/a')}`, {}, MERGE),
      await json(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y', gone: null } } }, MERGE),
      await json(`PUT ${path('/a')}`, created),
    ]) {
      expect(response).toEqual({ status: 200, json: created });
    }
    expect(await store.get(KEY)).toEqual(before);
    expect(await revision()).toBe(metaOf(created)['resourceVersion']);
  });

  test('does not renew the expiry, unlike a real change', async () => {
    const { create, clock, json, store } = bench({ ttlMs: 10_000 });
    await create('a');
    clock.advance(5_000);
    await json(`PATCH ${path('/a')}`, { metadata: { labels: { x: 'y' } } }, MERGE);
    expect((await store.get(KEY))?.expiresAt).toBe(clock.now() + 10_000_000);
  });
});

describe('a field that updates cannot change', () => {
  test('keeps its stored value without an error', async () => {
    const { create, json } = bench();
    const created = metaOf(await create('a'));
    const response = await json(
      `PUT ${path('/a')}`,
      event('a', {}, { creationTimestamp: '2001-01-01T00:00:00Z', generation: 9, labels: { x: 'y' } }),
    );
    expect(response.status).toBe(200);
    expect(metaOf(response.json)).toMatchObject({
      uid: created['uid'],
      creationTimestamp: created['creationTimestamp'],
    });
    expect(metaOf(response.json)['generation']).toBe(created['generation']);
  });

  test('such as deletionTimestamp keeps its value, so that a deletion cannot be undone', async () => {
    const { create, json } = bench();
    await create('a', {}, { finalizers: ['example.com/one'] });
    const { deletionTimestamp } = metaOf((await json(`DELETE ${path('/a')}`)).json);
    const metadata = { finalizers: ['example.com/one'], labels: { a: '1' } };
    const updated = await json(`PUT ${path('/a')}`, event('a', {}, metadata));
    expect([updated.status, metaOf(updated.json)]).toMatchObject([
      200,
      { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 },
    ]);
    const nulls = { metadata: { labels: null, deletionTimestamp: null, deletionGracePeriodSeconds: null } };
    const patched = await json(`PATCH ${path('/a')}`, nulls, MERGE);
    expect([patched.status, metaOf(patched.json)]).toMatchObject([
      200,
      { deletionTimestamp, deletionGracePeriodSeconds: 0 },
    ]);
  });

  test('such as deletionTimestamp is refused in an event that is not being deleted', async () => {
    const { create, json } = bench();
    await create('a');
    const sent = event('a', {}, { deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 });
    const response = await json(`PUT ${path('/a')}`, sent);
    expect([response.status, response.json['message']]).toEqual([
      422,
      'Event "a" is invalid: [metadata.deletionTimestamp: Invalid value: ' +
        '"2024-01-01T00:00:00Z": field is immutable, metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable]',
    ]);
  });

  test('such as deletionGracePeriodSeconds is refused with another value while the event is being deleted', async () => {
    const { create, json } = bench();
    const finalizers = ['example.com/one'];
    await create('a', {}, { finalizers });
    await json(`DELETE ${path('/a')}`);
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { finalizers, deletionGracePeriodSeconds: 5 }));
    expect([response.status, response.json['message']]).toEqual([
      422,
      'Event "a" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ]);
  });

  test('such as the uid is a conflict if another value is sent', async () => {
    const { create, json } = bench();
    const created = metaOf(await create('a'));
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { uid: 'other' }));
    expect(response.status).toBe(409);
    expect(response.json['message']).toContain(
      `Precondition failed: UID in precondition: other, UID in object meta: ${String(created['uid'])}`,
    );
    const absent = await json(`PUT ${path('/b')}`, event('b', {}, { uid: 'other' }));
    expect(absent.status).toBe(409);
  });
});

describe('finalizers', () => {
  test('delete a marked event when the last one is removed', async () => {
    const { create, json, revision } = bench();
    await create('a', {}, { finalizers: ['example.com/one', 'example.com/two'] });
    const marked = await json(`DELETE ${path('/a')}`);
    expect(metaOf(marked.json)).toMatchObject({ deletionGracePeriodSeconds: 0 });
    const one = await json(`PATCH ${path('/a')}`, { metadata: { finalizers: ['example.com/two'] } }, MERGE);
    expect(metaOf(one.json)['finalizers']).toEqual(['example.com/two']);
    const dry = await json(`PATCH ${path('/a')}?dryRun=All`, { metadata: { finalizers: null } }, MERGE);
    expect(dry.status).toBe(200);
    expect((await json(`GET ${path('/a')}`)).status).toBe(200);
    const before = await revision();
    const last = await json(`PATCH ${path('/a')}`, { metadata: { finalizers: null } }, MERGE);
    expect(last.status).toBe(200);
    expect(metaOf(last.json)).not.toHaveProperty('finalizers');
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
    expect(Number(await revision())).toBe(Number(before) + 1);
  });

  test('do not delete an unmarked event when they are removed', async () => {
    const { create, json } = bench();
    await create('a', {}, { finalizers: ['example.com/one'] });
    await json(`PATCH ${path('/a')}`, { metadata: { finalizers: null } }, MERGE);
    expect((await json(`GET ${path('/a')}`)).status).toBe(200);
  });

  test('do not delete an event that was changed concurrently', async () => {
    const expected: unknown[] = [];
    let rival: (() => Promise<unknown>) | undefined;
    const { create, json } = bench({}, (store) => ({
      ...store,
      remove: async (key, options) => {
        expected.push(options?.expected);
        await rival?.();
        rival = undefined;
        return store.remove(key, options);
      },
    }));
    await create('a', {}, { finalizers: ['example.com/one'] });
    const marked = (await json(`DELETE ${path('/a')}`)).json;
    const { resourceVersion } = metaOf(marked);
    rival = () => json(`PATCH ${path('/a')}`, { metadata: { labels: { a: '1' } } }, MERGE);
    const sent = { ...marked, metadata: { ...metaOf(marked), finalizers: [] } };
    const refused = await json(`PUT ${path('/a')}`, sent);
    expect([refused.status, refused.json['reason']]).toEqual([409, 'Conflict']);
    expect(expected).toEqual([Number(resourceVersion)]);
    const left = await json(`GET ${path('/a')}`);
    expect([left.status, metaOf(left.json)]).toMatchObject([
      200,
      { labels: { a: '1' }, finalizers: ['example.com/one'] },
    ]);
  });

  test('delete a marked event in a second attempt when the first removal conflicts', async () => {
    let times = 1;
    const { create, json } = bench({}, (store) => ({
      ...store,
      remove: (key, options) =>
        times-- > 0 ? Promise.reject(storeError('conflict', 'raced')) : store.remove(key, options),
    }));
    await create('a', {}, { finalizers: ['example.com/one'] });
    await json(`DELETE ${path('/a')}`);
    expect((await json(`PATCH ${path('/a')}`, { metadata: { finalizers: null } }, MERGE)).status).toBe(200);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });
});

describe('a store that fails while an event is changed', () => {
  test.each(['replace', 'remove'] as const)(
    'is called once, and the failure is the response: %s',
    async (operation) => {
      let asked = 0;
      const failing = async (): Promise<never> => {
        asked++;
        return Promise.reject(storeError('unavailable', 'away'));
      };
      let broken = false;
      const { create, json } = bench({}, (store) => ({
        ...store,
        replace: (...args) => (broken && operation === 'replace' ? failing() : store.replace(...args)),
        remove: (...args) => (broken && operation === 'remove' ? failing() : store.remove(...args)),
      }));
      await create('a', {}, { finalizers: ['example.com/one'] });
      if (operation === 'remove') await json(`DELETE ${path('/a')}`);
      broken = true;
      const refused = await json(`PATCH ${path('/a')}`, { metadata: { finalizers: null } }, MERGE);
      expect([refused.status, asked]).toEqual([503, 1]);
      broken = false;
      expect((await json(`GET ${path('/a')}`)).status).toBe(200);
    },
  );
});

describe('an update of a missing event', () => {
  test('creates it, and requires the right to create', async () => {
    const asked: unknown[] = [];
    const { json } = bench({
      authorize: (_caller, attributes) => {
        asked.push(attributes.verb);
        return { allowed: attributes.verb !== 'create' };
      },
    });
    const refused = await json(`PUT ${path('/a')}`, event('a'));
    expect(refused.status).toBe(403);
    expect(asked).toEqual(['update', 'create']);
    const allowed = bench();
    const sent: Json = event('a', {}, { resourceVersion: '77' });
    const created = await allowed.json(`PUT ${path('/a')}`, sent);
    expect(created.status).toBe(201);
    expect(metaOf(created.json)['resourceVersion']).toBe(await allowed.revision());
  });
});

describe('an event that another client creates first', () => {
  const APPLY = { 'content-type': 'application/apply-patch+yaml' };

  /** A store in which somebody else creates the event just before the first creation, as a durable one may find. */
  function overtaken(): { wrap: (store: EventStore) => EventStore; revision: () => number } {
    let revision = 0;
    return {
      revision: () => revision,
      wrap: (store) => ({
        ...store,
        async create(key, encoded, options) {
          if (revision === 0) {
            const theirs = decodeEvent(encoded.bytes);
            theirs.metadata = { ...theirs.metadata, uid: 'theirs', annotations: { by: 'theirs' } };
            revision = (await store.create(key, encodeEvent(theirs), options)).revision;
          }
          return store.create(key, encoded, options);
        },
      }),
    };
  }

  test('is updated by a PUT, and keeps its identity', async () => {
    const { wrap } = overtaken();
    const { json } = bench({}, wrap);
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { labels: { x: 'y' } }));
    expect(response.status).toBe(200);
    expect(metaOf(response.json)).toMatchObject({ uid: 'theirs', labels: { x: 'y' } });
    expect(metaOf(response.json)).not.toHaveProperty('annotations');
    expect((await json(`GET ${path('/a')}`)).json).toEqual(response.json);
  });

  test('is a conflict for a PUT with a resourceVersion', async () => {
    const { wrap, revision } = overtaken();
    const { json } = bench({}, wrap);
    const response = await json(`PUT ${path('/a')}`, event('a', {}, { resourceVersion: '7' }));
    expect(response.status).toBe(409);
    expect(response.json).toMatchObject({ reason: 'Conflict', message: expect.stringContaining('has been modified') });
    expect(metaOf((await json(`GET ${path('/a')}`)).json)['resourceVersion']).toBe(String(revision()));
  });

  test('is changed by an apply', async () => {
    const { wrap } = overtaken();
    const { json } = bench({}, wrap);
    const intent = event('a', {}, { labels: { x: 'y' } });
    const response = await json(`PATCH ${path('/a')}?fieldManager=one&force=true`, intent, APPLY);
    expect(response.status).toBe(200);
    expect(metaOf(response.json)).toMatchObject({ uid: 'theirs', annotations: { by: 'theirs' }, labels: { x: 'y' } });
  });

  test('is found by a dry run, too', async () => {
    let reads = 0;
    const { create, json } = bench({}, (store) => ({
      ...store,
      get: (key, call) => (reads++ === 0 ? Promise.resolve(undefined) : store.get(key, call)),
    }));
    await create('a');
    const response = await json(`PUT ${path('/a')}?dryRun=All`, event('a', {}, { labels: { x: 'y' } }));
    expect(response.status).toBe(200);
  });
});

/** Reads in a later turn of the event loop. */
const later = ({ get }: EventStore): Partial<EventStore> => ({
  async get(...args) {
    await new Promise((resolve) => setImmediate(resolve));
    return get(...args);
  },
});

describe('many writes of one event', () => {
  const patches = ({ ask }: ReturnType<typeof bench>): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const how = { json: { metadata: { labels: { [`x${index}`]: 'y' } } }, headers: MERGE };
        return (await ask(`PATCH ${path('/a')}`, how)).status;
      }),
    );

  test.each([
    ['a store that reads and writes asynchronously', later],
    ['a store that writes asynchronously', (): Partial<EventStore> => ({})],
  ])('do not conflict in %s', async (_what, more) => {
    let replacements = 0;
    const made = bench({}, (store) => ({
      ...store,
      ...more(store),
      async replace(...args) {
        replacements += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return store.replace(...args);
      },
    }));
    await made.create('a');
    expect(await patches(made)).toEqual(Array(20).fill(200));
    expect(replacements).toBe(20);
    const { json } = await made.json(`GET ${path('/a')}`);
    expect(Object.keys(metaOf(json)['labels'] as Json)).toHaveLength(20);
  });

  test('that ended while they waited for one another are not attempted', async () => {
    let replacements = 0;
    let proceed = (): void => undefined;
    const released = new Promise<void>((resolve) => (proceed = resolve));
    const { clock, create, ask } = bench({}, (store) => ({
      ...store,
      async replace(...args) {
        replacements += 1;
        await released;
        return store.replace(...args);
      },
    }));
    await create('a');
    const statuses = [1, 2].map(async (index) => {
      const how = { json: { metadata: { labels: { x: `${index}` } } }, headers: MERGE };
      return (await ask(`PATCH ${path('/a')}`, how)).status;
    });
    await settled();
    clock.advance(60_000);
    expect(await Promise.all(statuses)).toEqual([504, 504]);
    proceed();
    await settled();
    expect(replacements).toBe(1);
  });
});
