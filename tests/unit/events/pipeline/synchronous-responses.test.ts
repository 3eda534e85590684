import { expect, test } from 'vitest';
import { isPromise } from '../../../../src/http/promise.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { bench, event, path, type Bench } from '../bench.js';

const ask = ({ events }: Bench, name: string): ReturnType<Bench['events']['handle']> =>
  events.handle({ method: 'GET', url: path(`/${name}`), headers: {} });

test('a get that waits for nothing gets its response without a promise', async () => {
  const one = bench();
  await one.create('a');
  const response = ask(one, 'a');
  expect(isPromise(response)).toBe(false);
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  expect(one.observed.at(-1)).toMatchObject({ type: 'request', verb: 'get', status: 200, caller: 'tester' });
});

test('a create with a body of up to 8 KiB that is there gets its response without a promise', async () => {
  const one = bench();
  const create = (name: string, length: number): ReturnType<Bench['events']['handle']> => {
    const body = JSON.stringify(event(name)).padEnd(length);
    return one.events.handle({
      method: 'POST',
      url: path(),
      headers: { 'content-length': String(length) },
      body: () => body,
    });
  };
  expect(create('a', 8_192)).toMatchObject({ status: 201 });
  const larger = create('b', 8_193);
  expect(isPromise(larger)).toBe(true);
  expect(await larger).toMatchObject({ status: 201 });
});

test('asynchronous hooks are awaited', async () => {
  const one = bench({ authorize: () => Promise.resolve({ allowed: true }) });
  await one.create('a');
  const response = ask(one, 'a');
  expect(isPromise(response)).toBe(true);
  expect(await response).toMatchObject({ status: 200 });
});

test('a synchronous failure gets the same response as any failure, and frees its place in flight', async () => {
  const one = bench({ limits: { reads: 1 } });
  for (let times = 0; times < 3; times++) expect(await ask(one, 'nobody')).toMatchObject({ status: 404 });
});

test('a get that replaces the store’s own is called', async () => {
  const one = bench({}, (store) => ({
    ...store,
    get: (key, call) =>
      key.name === 'lost' ? Promise.reject(storeError('unavailable', 'away')) : store.get(key, call),
  }));
  await one.create('a');
  expect(await ask(one, 'lost')).toMatchObject({ status: 503 });
  const response = ask(one, 'a');
  expect(isPromise(response)).toBe(true);
  expect(await response).toMatchObject({ status: 200 });
});

test('a create that replaces the store’s own is called', async () => {
  const one = bench({}, (store) => ({
    ...store,
    create: (key, given, options) =>
      key.name === 'lost' ? Promise.reject(storeError('unavailable', 'away')) : store.create(key, given, options),
  }));
  expect(await one.json(`POST ${path()}`, event('lost'))).toMatchObject({ status: 503 });
  expect(await one.json(`POST ${path()}`, event('a'))).toMatchObject({ status: 201 });
  expect(await one.json(`POST ${path()}`, event('a'))).toMatchObject({ status: 409 });
});
