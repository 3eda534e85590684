/// <reference types="jest" />
import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Event, EventList } from 'kube-vitals';
import { call } from 'kube-vitals/testing';
import type { Vitals } from '../shop/vitals.js';
import { ShopModule, VITALS } from './shop.module.js';

const token = 's3cret-of-the-examples';
const events = '/apis/events.example.com/v1/namespaces/shop/events';
const greeting = {
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name: 'greeting', namespace: 'shop' },
  eventTime: '2026-01-02T03:04:05.678901Z',
  reportingController: 'example.com/greeter',
  reportingInstance: 'greeter-1',
  action: 'Greet',
  reason: 'Greeted',
  type: 'Normal',
  regarding: { kind: 'Order', namespace: 'shop', name: 'greeting' },
};

let app: INestApplication;
let vitals: Vitals;
let url: string;

beforeEach(async () => {
  const testing = await Test.createTestingModule({ imports: [ShopModule] }).compile();
  app = testing.createNestApplication();
  vitals = app.get<Vitals>(VITALS);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});

afterEach(() => app.close());

// `app.close()` need not wait for a connection that is closed.
const asked = { authorization: `Bearer ${token}`, connection: 'close' };
const get = (path: string): Promise<Response> => fetch(url + path, { headers: asked });
const post = (path: string, value: unknown): Promise<Response> => {
  const headers = { ...asked, 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(value) });
};

test('the package comes through require', () => {
  expect(require.resolve('kube-vitals')).toMatch(/index\.cjs$/);
});

test('the service keeps its own routes, its body parser and its 404', async () => {
  expect(await (await get('/version')).json()).toEqual({ service: 'shop', version: '1.2.3' });
  expect((await post('/orders', { item: 'tea', amount: 2 })).status).toBe(201);
  expect((await post('/orders', { item: '' })).status).toBe(400);
  expect(await (await get('/orders')).json()).toMatchObject([{ item: 'tea', amount: 2 }]);
  expect(await (await get('/nothing')).json()).toMatchObject({ message: 'Cannot GET /nothing' });
});

test('health responds, and is ready once the service says so', async () => {
  expect((await get('/readyz')).status).toBe(500);
  vitals.started();
  expect(await (await get('/readyz?verbose')).text()).toContain('[+]database ok\n');
  expect(await (await get('/ops/livez')).text()).toBe('ok');
});

test('a check that changes its state leaves events', async () => {
  await get('/readyz');
  vitals.started();
  await get('/readyz');
  await vitals.recorder.flush();
  const { items } = (await (await get(`${events}?fieldSelector=regarding.kind=Service`)).json()) as EventList;
  expect(items.map(({ note }) => note).sort()).toEqual([
    'check poststarthook/open-shop is failed',
    'check poststarthook/open-shop is ok',
  ]);
});

test('an event is created, read and listed; below the prefix too', async () => {
  expect((await post(events, greeting)).status).toBe(201);
  expect(await (await get(`${events}/greeting`)).json()).toMatchObject({ reason: 'Greeted' });
  const { items } = (await (await get(`/ops${events}`)).json()) as EventList;
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['greeting']);
});

test('a watch sees what the service records', async () => {
  const watch = await call(vitals.handle, `GET ${events}?watch=true`, { token });
  const frames = watch.frames<{ type: string; object: Event }>();
  await post('/orders', { item: 'tea', amount: 2 });
  const { value } = await frames.next();
  expect(value).toMatchObject({ type: 'ADDED', object: { reason: 'OrderPlaced', note: '2 × tea' } });
  await frames.return();
});
