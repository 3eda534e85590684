'use strict';

const { allowAuthenticated, createEvents, firstOf, memoryStore, staticTokens } = require('kube-vitals');
const { createHealth } = require('kube-vitals/health');
const { call, eventMatchers, testRecorder } = require('kube-vitals/testing');

const events = createEvents({
  apiDomain: 'example.com',
  store: memoryStore(),
  authenticate: staticTokens({ s3cret: { name: 'ops' } }),
  authorize: allowAuthenticated(),
});
const health = createHealth();
const handler = firstOf(health.handle, events.handle);
const path = '/apis/events.example.com/v1/namespaces/default/events';
const event = {
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name: 'greeting', namespace: 'default' },
  eventTime: '2026-01-02T03:04:05.678901Z',
  reportingController: 'example.com/greeter',
  reportingInstance: 'greeter-1',
  action: 'Greet',
  reason: 'Greeted',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'greeter' },
};

test('health responds', async () => {
  expect((await call(handler, 'GET /readyz')).status).toBe(200);
});

test('an event is created and listed', async () => {
  const created = await call(handler, `POST ${path}`, { token: 's3cret', json: event });
  expect(created.status).toBe(201);
  const listed = await call(handler, `GET ${path}`, { token: 's3cret' });
  expect((await listed.json()).items).toHaveLength(1);
});

test('modules loaded twice, as Jest does for every file, still know their errors', async () => {
  let isStoreErrorOfAnother;
  jest.isolateModules(() => {
    isStoreErrorOfAnother = require('kube-vitals').isStoreError;
  });
  const store = memoryStore();
  await store.close();
  const failure = await store.revision().then(
    () => undefined,
    (error) => error,
  );
  expect(isStoreErrorOfAnother(failure)).toBe(true);
});

test('the matcher finds what was recorded', () => {
  expect.extend(eventMatchers);
  const recorder = testRecorder();
  recorder.event({ reason: 'Paid', action: 'Charge', note: '3 × tea' });
  expect(recorder).toHaveRecorded({ reason: 'Paid', note: /tea/ }, 1);
  expect(recorder).not.toHaveRecorded({ reason: 'Lost' });
  expect(() => expect(recorder).toHaveRecorded({ reason: 'Lost' })).toThrow('found 0 among 1 events');
});
