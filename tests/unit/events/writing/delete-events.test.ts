import { describe, expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import { bench, event, metaOf, namesOf, path } from '../bench.js';

describe('a deletecollection', () => {
  test('deletes what the selectors match, in this namespace only', async () => {
    const { create, json } = bench();
    for (const name of ['a', 'b']) await create(name, {}, { labels: { app: 'web' } });
    await create('c');
    await json(
      `POST ${path('', 'other')}`,
      event('a', { regarding: { namespace: 'other' } }, { labels: { app: 'web' } }),
    );
    expect((await json(`DELETE ${path()}?labelSelector=app%3Dweb`)).status).toBe(200);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['c']);
    expect(namesOf((await json(`GET ${path('', 'other')}`)).json)).toEqual(['a']);
  });

  test('skips events that another client deleted meanwhile', async () => {
    const { create, json } = bench({}, (store) => ({
      ...store,
      async remove(key, options) {
        if (key.name === 'a') await store.remove({ ...key, name: 'b' });
        return store.remove(key, options);
      },
    }));
    for (const name of ['a', 'b', 'c']) await create(name);
    expect((await json(`DELETE ${path()}`)).status).toBe(200);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual([]);
  });

  test('skips events that another client deletes at the last moment', async () => {
    const { create, json } = bench({}, (store) => ({
      ...store,
      async remove(key, options) {
        if (key.name === 'b') await store.remove(key);
        return store.remove(key, options);
      },
    }));
    for (const name of ['a', 'b', 'c']) await create(name);
    expect((await json(`DELETE ${path()}`)).status).toBe(200);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual([]);
  });

  test('ends with any other failure, with some events deleted', async () => {
    const { create, json } = bench({}, (store) => ({
      ...store,
      remove: (key, options) =>
        key.name === 'b' ? Promise.reject(storeError('unavailable', 'away')) : store.remove(key, options),
    }));
    for (const name of ['a', 'b', 'c']) await create(name);
    expect((await json(`DELETE ${path()}`)).status).toBe(503);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['b', 'c']);
  });

  test.each([
    ['full', 507],
    ['too-large', 413],
  ] as const)(
    'deletes all others where the store refuses to mark an event with finalizers: %s',
    async (code, status) => {
      const { create, json } = bench({}, (store) => ({
        ...store,
        replace: () => Promise.reject(storeError(code, 'no room')),
      }));
      await create('a', {}, { finalizers: ['example.com/a'] });
      for (const name of ['b', 'c']) await create(name);
      expect((await json(`DELETE ${path()}`)).status).toBe(status);
      expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['a']);
    },
  );

  test('deletes more than one page of the store completely', async () => {
    const { events, json } = bench();
    for (let index = 0; index < 1_050; index++) {
      await events.handle({
        method: 'POST',
        url: path(),
        headers: { 'content-type': 'application/json' },
        body: () => JSON.stringify(event(`e${index}`)),
      });
    }
    expect(namesOf((await json(`GET ${path()}`)).json)).toHaveLength(1_050);
    expect((await json(`DELETE ${path()}`)).status).toBe(200);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual([]);
  });

  test('with a resourceVersion deletes what existed at that revision, as in kube-apiserver', async () => {
    const { create, json, revision } = bench();
    await create('a');
    const resourceVersion = await revision();
    await create('b');
    const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
    expect((await json(`DELETE ${path()}?resourceVersion=${resourceVersion}`, options)).status).toBe(200);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['b']);
  });

  test('without a body takes the resourceVersion of its query as a precondition of each event', async () => {
    const { create, json, revision } = bench();
    await create('a');
    await create('b');
    const refused = await json(`DELETE ${path()}?resourceVersion=${await revision()}`);
    expect([refused.status, refused.json['reason']]).toEqual([409, 'Conflict']);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual(['a', 'b']);
  });

  test('reports a fault of its query before one of its body', async () => {
    const { json } = bench();
    const query = { labelSelector: 'a b', resourceVersionMatch: 'Exact' };
    for (const [name, value] of Object.entries(query)) {
      const refused = await json(`DELETE ${path()}?${name}=${encodeURIComponent(value)}`, { kind: 'Pod' });
      expect(refused.json['message']).toMatch(/^unable to parse requirement|^ListOptions/);
    }
  });

  test('with a limit returns where to continue', async () => {
    const { create, json } = bench();
    for (const name of ['a', 'b', 'c']) await create(name);
    const { json: status } = await json(`DELETE ${path()}?limit=2`);
    expect(metaOf(status)).toMatchObject({ remainingItemCount: 1 });
    const token = metaOf(status)['continue'] as string;
    await json(`DELETE ${path()}?limit=2&continue=${token}`);
    expect(namesOf((await json(`GET ${path()}`)).json)).toEqual([]);
  });
});
