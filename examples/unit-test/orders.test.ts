import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  allowRules,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  staticTokens,
  type Event,
  type EventList,
  type Events,
  type EventStore,
  type Health,
} from 'kube-vitals';
import { createRecorder, type Recorder } from 'kube-vitals/client';
import { call, fakeClock, type FakeClock } from 'kube-vitals/testing';
import { createDatabase, createOrders, type Database, type Orders } from '../shop/orders.js';

const EVENTS = '/apis/events.example.com/v1/namespaces/shop/events';
const service = { name: 'shop', groups: [] };
const reader = { name: 'reader', groups: [] };

let clock: FakeClock;
let store: EventStore;
let health: Health;
let events: Events;
let database: Database & { down?: string };
let recorder: Recorder;
let orders: Orders;

beforeEach(() => {
  clock = fakeClock();
  store = memoryStore({ clock });
  health = createHealth({ clock });
  events = createEvents({
    apiDomain: 'example.com',
    store,
    clock,
    authenticate: staticTokens({ t0ken: { name: 'reader' } }),
    authorize: allowRules([
      { users: ['shop'], verbs: ['create', 'get', 'patch'], namespaces: ['shop'] },
      { users: ['reader'], verbs: ['get', 'list', 'watch'] },
    ]),
  });
  const rows = createDatabase();
  database = {
    ...rows,
    async ping(signal) {
      if (database.down !== undefined) throw new Error(database.down);
      await rows.ping(signal);
    },
  };
  health.add({ name: 'database', check: ({ signal }) => database.ping(signal) });
  recorder = createRecorder({
    events,
    caller: service,
    reportingController: 'example.com/shop',
    namespace: 'shop',
    clock,
  });
  orders = createOrders({ database, recorder });
});

afterEach(async () => {
  await recorder.close();
  health.close();
  await events.close();
  await store.close();
});

async function recorded(query = ''): Promise<readonly Event[]> {
  await recorder.flush();
  const response = await call(events.as(reader), `GET ${EVENTS}${query}`);
  assert.equal(response.status, 200);
  return (await response.json<EventList>()).items;
}

describe('placing an order', () => {
  test('leaves an event that names the order', async () => {
    const order = await orders.place({ item: 'tea', amount: 2 });
    const [event, ...others] = await recorded();
    assert.equal(event?.reason, 'OrderPlaced');
    assert.equal(event.note, '2 × tea');
    assert.equal(event.regarding?.name, order.id);
    assert.deepEqual(others, []);
  });

  test('leaves a warning when it is no order, found by a field selector', async () => {
    await orders.place({ item: 'tea', amount: 2 });
    await assert.rejects(orders.place({ item: 'tea', amount: 0 }), RangeError);
    const warnings = await recorded('?fieldSelector=type=Warning');
    assert.deepEqual(
      warnings.map(({ reason }) => reason),
      ['OrderRefused'],
    );
  });

  test('is seen by a watch', async () => {
    const watch = await call(events.as(reader), `GET ${EVENTS}?watch=true`);
    const frames = watch.frames<{ type: string; object: Event }>();
    await orders.place({ item: 'tea', amount: 2 });
    const { value } = await frames.next();
    assert.deepEqual([value?.type, value?.object.reason], ['ADDED', 'OrderPlaced']);
    await frames.return();
  });

  test('is forgotten after an hour', async () => {
    await orders.place({ item: 'tea', amount: 2 });
    await recorder.flush();
    const watch = await call(events.as(reader), `GET ${EVENTS}?watch=true&resourceVersion=0&timeoutSeconds=7200`);
    const frames = watch.frames<{ type: string }>();
    assert.equal((await frames.next()).value?.type, 'ADDED');
    clock.advance(3_600_000);
    // What expires is looked for every second. The loop sets its next timer once the last round has ended: let it.
    await setImmediate();
    clock.advance(1_000);
    assert.equal((await frames.next()).value?.type, 'DELETED');
    await frames.return();
  });
});

describe('who may', () => {
  test('the service may write events and nothing else', async () => {
    const response = await call(events.as(service), `GET ${EVENTS}`);
    assert.equal(response.status, 403);
  });

  test('a client shows a token', async () => {
    assert.equal((await call(events.handle, `GET ${EVENTS}`)).status, 401);
    assert.equal((await call(events.handle, `GET ${EVENTS}`, { token: 't0ken' })).status, 200);
  });
});

describe('health', () => {
  test('fails with the reason while the database is down, and is well without it', async () => {
    database.down = 'connection refused';
    const report = await health.report('readyz');
    assert.equal(report.status, 'failed');
    assert.equal(report.checks.find(({ name }) => name === 'database')?.reason, 'connection refused');
    assert.equal((await health.report('readyz', { exclude: ['database'] })).status, 'ok');
    assert.equal((await health.report('livez')).status, 'ok');
  });

  test('keeps the reason from those who only probe', async () => {
    database.down = 'connection refused';
    const response = await call(health.handle, 'GET /readyz?verbose');
    assert.equal(response.status, 500);
    assert.match(await response.text(), /^\[-\]database failed: reason withheld$/m);
  });

  test('claims its own paths only', async () => {
    const handler = firstOf(health.handle, events.handle);
    assert.equal((await call(handler, 'GET /livez')).claimed, true);
    assert.equal((await call(handler, 'GET /orders')).claimed, false);
    assert.equal((await call(handler, 'GET /version')).claimed, false);
  });
});
