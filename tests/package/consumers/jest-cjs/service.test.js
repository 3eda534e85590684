'use strict';

const { createServer } = require('node:http');
const { allowAuthenticated, createEvents, firstOf, memoryStore, staticTokens } = require('kube-vitals');
const { createEventsClient, httpTransport } = require('kube-vitals/client');
const { createHealth } = require('kube-vitals/health');
const { toNodeListener } = require('kube-vitals/node');
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

test('what is loaded on first use is there: HTTP connections, compression, YAML', async () => {
  const server = createServer(toNodeListener(handler));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const transport = httpTransport({ server: url, token: 's3cret' });
  const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
  try {
    const note = 'x'.repeat(1024);
    for (let i = 0; i < 128; i++) await client.create({ ...event, metadata: { name: `long-${i}` }, note });
    const headers = { authorization: 'Bearer s3cret', 'accept-encoding': 'gzip' };
    const listed = await fetch(url + path, { headers });
    expect(listed.headers.get('content-encoding')).toBe('gzip');
    expect((await listed.json()).items.length).toBeGreaterThanOrEqual(128);
    const yaml = await fetch(`${url}${path}/long-0`, { headers: { ...headers, accept: 'application/yaml' } });
    expect(await yaml.text()).toMatch(/^kind: Event$/m);
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
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
