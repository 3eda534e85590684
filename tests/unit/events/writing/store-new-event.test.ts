import { describe, expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import { bench, event, metaOf, path } from '../bench.js';

describe('generateName', () => {
  test('makes a name of the prefix and five characters', async () => {
    const { json } = bench();
    const created = await json(`POST ${path()}`, event(undefined, {}, { generateName: 'web-' }));
    expect(created.status).toBe(201);
    expect(metaOf(created.json)['name']).toMatch(/^web-[a-z0-9]{5}$/);
    expect(metaOf(created.json)['generateName']).toBe('web-');
  });

  test('is ignored if a name is given', async () => {
    const { create } = bench();
    expect(metaOf(await create('mine', {}, { generateName: 'web-' }))['name']).toBe('mine');
  });

  test('tries another name if one is taken, each try with a different uid', async () => {
    const uids: string[] = [];
    const { json } = bench({}, (store) => ({
      ...store,
      create: (key, encoded, options) => {
        uids.push(encoded.uid);
        return uids.length < 8 ? Promise.reject(storeError('exists', 'taken')) : store.create(key, encoded, options);
      },
    }));
    const created = await json(`POST ${path()}`, event(undefined, {}, { generateName: 'web-' }));
    expect(created.status).toBe(201);
    expect(new Set(uids).size).toBe(8);
    expect(metaOf(created.json)['uid']).toBe(uids[7]);
  });

  test('is a 409 with Retry-After after eight tries', async () => {
    let tries = 0;
    const { ask, revision } = bench({}, (store) => ({
      ...store,
      create: () => {
        tries++;
        return Promise.reject(storeError('exists', 'taken'));
      },
    }));
    const before = await revision();
    const response = await ask(`POST ${path()}`, { json: event(undefined, {}, { generateName: 'web-' }) });
    expect(tries).toBe(8);
    expect(response.status).toBe(409);
    expect(response.headers['retry-after']).toBe('1');
    const status = await response.json<{ message: string }>();
    expect(status).toMatchObject({ reason: 'AlreadyExists', details: { kind: 'events', retryAfterSeconds: 1 } });
    expect(status).not.toHaveProperty('details.group');
    expect(status.message).toMatch(
      /^events "web-[a-z0-9]{5}" already exists, the server was not able to generate a unique name for the object$/,
    );
    expect(await revision()).toBe(before);
  });

  test('is refused by the name rules for a bad prefix, without retries', async () => {
    const { json } = bench();
    const { status } = await json(`POST ${path()}`, event(undefined, {}, { generateName: 'Not Good' }));
    expect(status).toBe(422);
  });
});

describe('a name that is taken', () => {
  test('is a 409', async () => {
    const { create, json } = bench();
    await create('a');
    const response = await json(`POST ${path()}`, event('a'));
    expect(response.status).toBe(409);
    expect(response.json['message']).toBe('events.events.example.com "a" already exists');
  });

  test('by an event that waits for its finalizers is a 409 with a note that it is being deleted', async () => {
    const { create, json } = bench();
    await create('a', {}, { finalizers: ['example.com/hold'] });
    await json(`DELETE ${path('/a')}`);
    const response = await json(`POST ${path()}`, event('a'));
    expect(response.status).toBe(409);
    expect(response.json['message']).toBe('object is being deleted: events.events.example.com "a" already exists');
    const dry = await json(`POST ${path()}?dryRun=All`, event('a'));
    expect(dry.json['message']).toBe(response.json['message']);
  });

  test('is answered like a generated one if the event has a generateName too', async () => {
    const { create, ask, json } = bench();
    await create('a', {}, { finalizers: ['example.com/hold'] });
    const both = event('a', {}, { generateName: 'web-' });
    const response = await ask(`POST ${path()}`, { json: both });
    expect(response.headers['retry-after']).toBe('1');
    const message = 'events "a" already exists, the server was not able to generate a unique name for the object';
    expect(await response.json()).toMatchObject({
      message,
      details: { name: 'a', kind: 'events', retryAfterSeconds: 1 },
      code: 409,
    });
    await json(`DELETE ${path('/a')}`);
    const leaving = await json(`POST ${path()}`, both);
    expect(leaving.json['message']).toBe(`object is being deleted: ${message}`);
  });

  test('by an event that was deleted meanwhile is an ordinary 409', async () => {
    const { json } = bench({}, (store) => ({ ...store, create: () => Promise.reject(storeError('exists', 'taken')) }));
    const response = await json(`POST ${path()}`, event('a'));
    expect(response.json['message']).toBe('events.events.example.com "a" already exists');
  });
});

describe('the fields that the server sets', () => {
  test('are uid, creation time and revision, whatever was sent', async () => {
    const { create, clock, revision } = bench();
    const created = metaOf(
      await create(
        'a',
        {},
        {
          uid: 'mine',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 5,
          resourceVersion: '0',
          generation: 7,
        },
      ),
    );
    expect(created['uid']).toMatch(/^[0-9a-f-]{36}$/);
    expect(created['creationTimestamp']).toBe(`${new Date(clock.now() / 1000).toISOString().slice(0, 19)}Z`);
    expect(created['resourceVersion']).toBe(await revision());
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds']) {
      expect(created).not.toHaveProperty(field);
    }
  });

  test('include the resourceVersion, which is refused in a new event', async () => {
    const { json, revision } = bench();
    const before = await revision();
    const response = await json(`POST ${path()}`, event('a', {}, { resourceVersion: '5' }));
    expect(response.status).toBe(400);
    expect(await revision()).toBe(before);
  });

  test.each(['', '0', '00', 'x', '-1'])(
    'include the resourceVersion, which is ignored if it names no revision: %j',
    async (sent) => {
      const { create, revision } = bench();
      const created = await create('a', {}, { resourceVersion: sent });
      expect(metaOf(created)['resourceVersion']).toBe(await revision());
    },
  );

  test('exclude repeated owners, which are merged with a warning', async () => {
    const { ask } = bench();
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u-1' };
    const response = await ask(`POST ${path()}`, { json: event('a', {}, { ownerReferences: [owner, owner] }) });
    expect(response.status).toBe(201);
    expect(metaOf(await response.json())['ownerReferences']).toHaveLength(1);
    expect(String(response.headers['warning'])).toContain('duplicate entries');
  });

  test('include owners that differ, without a warning', async () => {
    const { ask } = bench();
    const owners = ['u-1', 'u-2'].map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: 'a', uid }));
    const response = await ask(`POST ${path()}`, { json: event('a', {}, { ownerReferences: owners }) });
    expect(metaOf(await response.json())['ownerReferences']).toEqual(owners);
    expect(response.headers).not.toHaveProperty('warning');
  });

  test('exclude managed fields that were sent, where they are not tracked', async () => {
    const { create } = bench({ managedFields: false });
    const managedFields = [
      { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    expect(metaOf(await create('a', {}, { managedFields }))).not.toHaveProperty('managedFields');
  });
});
