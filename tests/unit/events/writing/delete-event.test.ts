import { describe, expect, test } from 'vitest';
import { bench, metaOf, path, type Json } from '../bench.js';

const PRECONDITION = 'Operation cannot be fulfilled on Event "a": ';

describe('a delete of one event', () => {
  test('removes it, and the response names it', async () => {
    const { create, json } = bench();
    const created = await create('a');
    const response = await json(`DELETE ${path('/a')}`);
    expect(response).toMatchObject({
      status: 200,
      json: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'events', uid: metaOf(created)['uid'] } },
    });
    expect((await json(`DELETE ${path('/a')}`)).status).toBe(404);
  });

  test.each(['orphan', 'foregroundDeletion'])(
    'does not wait for the finalizer %s, which nothing would ever remove',
    async (finalizer) => {
      const { create, json } = bench();
      for (const options of [{}, { propagationPolicy: 'Orphan' }, { propagationPolicy: 'Foreground' }]) {
        await create('a', {}, { finalizers: [finalizer] });
        expect((await json(`DELETE ${path('/a')}`, options)).json).toMatchObject({ kind: 'Status', status: 'Success' });
        expect((await json(`GET ${path('/a')}`)).status).toBe(404);
      }
      await create('b', {}, { finalizers: [finalizer, 'example.com/x'] });
      const marked = await json(`DELETE ${path('/b')}`);
      expect(metaOf(marked.json)).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/x'] });
      expect((await json(`DELETE ${path('/b')}`)).json).toEqual(marked.json);
    },
  );

  test('returns its group, name and uid', async () => {
    const { create, json } = bench();
    const { uid } = metaOf(await create('a'));
    expect((await json(`DELETE ${path('/a')}`)).json).toMatchObject({
      status: 'Success',
      details: { name: 'a', group: 'events.example.com', kind: 'events', uid },
    });
  });

  test('does nothing if a precondition fails', async () => {
    const { create, json, revision } = bench();
    const created = metaOf(await create('a'));
    const options = (preconditions: Json): Json => ({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions });
    const uid = await json(`DELETE ${path('/a')}`, options({ uid: 'other' }));
    expect(uid.status).toBe(409);
    expect(uid.json['message']).toBe(
      `${PRECONDITION}the UID in the precondition (other) does not match the UID in record (${String(created['uid'])}). ` +
        'The object might have been deleted and then recreated',
    );
    // 0 is no exception, although it means any version elsewhere.
    for (const sent of ['1', '0']) {
      const version = await json(`DELETE ${path('/a')}`, options({ resourceVersion: sent }));
      expect(version.status).toBe(409);
      expect(version.json['message']).toBe(
        `${PRECONDITION}the ResourceVersion in the precondition (${sent}) does not match the ResourceVersion in record ` +
          `(${String(created['resourceVersion'])}). The object might have been modified`,
      );
    }
    expect(await revision()).toBe(created['resourceVersion']);
    const { uid: own, resourceVersion } = created;
    expect((await json(`DELETE ${path('/a')}`, options({ uid: own, resourceVersion }))).status).toBe(200);
  });

  test('is restarted after a concurrent write, and checks preconditions again', async () => {
    let times = 1;
    const { create, json } = bench({}, (store) => ({
      ...store,
      async remove(key, options) {
        if (times-- > 0) {
          const record = await store.get(key);
          if (!record) throw new Error('nothing there');
          await store.replace(key, record.event, { expected: record.revision, expiresAt: record.expiresAt + 1 });
        }
        return store.remove(key, options);
      },
    }));
    await create('a');
    expect((await json(`DELETE ${path('/a')}`)).status).toBe(200);
    const again = metaOf(await create('a'));
    times = 1;
    const preconditions = { resourceVersion: again['resourceVersion'] };
    expect((await json(`DELETE ${path('/a')}`, { preconditions })).status).toBe(409);
  });

  test('is 404 if another client was faster', async () => {
    const { create, json } = bench({}, (store) => ({
      ...store,
      async remove(key, options) {
        await store.remove(key);
        return store.remove(key, options);
      },
    }));
    await create('a');
    expect((await json(`DELETE ${path('/a')}`)).status).toBe(404);
  });
});

describe('an event with finalizers', () => {
  test('is marked once, and kept', async () => {
    const { create, json, revision } = bench();
    await create('a', {}, { finalizers: ['example.com/hold'] });
    const marked = await json(`DELETE ${path('/a')}`);
    expect(marked.status).toBe(200);
    expect(marked.json['kind']).toBe('Event');
    const before = await revision();
    const again = await json(`DELETE ${path('/a')}`);
    expect(again.json).toEqual(marked.json);
    expect(await revision()).toBe(before);
    expect((await json(`GET ${path('/a')}`)).json).toEqual(marked.json);
  });

  test('has a generation that is one higher once it is marked, if it has one', async () => {
    const { create, json } = bench();
    const finalizers = ['example.com/hold'];
    await create('a', {}, { finalizers, generation: 3 });
    await create('b', {}, { finalizers });
    for (let time = 0; time < 2; time++) {
      expect(metaOf((await json(`DELETE ${path('/a')}`)).json)).toHaveProperty('generation', 4);
      expect(metaOf((await json(`DELETE ${path('/b')}`)).json)).not.toHaveProperty('generation');
    }
  });

  test('is shown with the mark in a dry run, which stores nothing', async () => {
    const { create, json, revision } = bench();
    await create('a', {}, { finalizers: ['example.com/hold'] });
    const before = await revision();
    const dry = await json(`DELETE ${path('/a')}?dryRun=All`);
    expect(metaOf(dry.json)).toHaveProperty('deletionTimestamp');
    expect(metaOf((await json(`GET ${path('/a')}`)).json)).not.toHaveProperty('deletionTimestamp');
    expect(await revision()).toBe(before);
  });
});
