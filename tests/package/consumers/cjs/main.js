'use strict';

const { allowAuthenticated, createEvents, firstOf, isStoreError, memoryStore, staticTokens } = require('kube-vitals');
const { toFetchHandler } = require('kube-vitals/fetch');
const { createHealth } = require('kube-vitals/health');
const { toNodeListener } = require('kube-vitals/node');
const { bodyTooLarge, isBodyError } = require('kube-vitals/bridge');
const { storeError } = require('kube-vitals/store');
const { call } = require('kube-vitals/testing');

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

async function main() {
  const answer = await call(handler, 'GET /readyz');
  const created = await call(handler, `POST ${path}`, { token: 's3cret', json: event });
  const listed = await call(handler, `GET ${path}`, { token: 's3cret' });
  if (typeof toNodeListener(handler) !== 'function') throw new Error('toNodeListener');
  const fetched = await toFetchHandler(handler)(new Request('http://localhost/readyz'));
  if (fetched?.status !== 200) throw new Error('toFetchHandler');
  if (!isStoreError(storeError('closed', 'over'))) throw new Error('isStoreError');
  if (!isBodyError(bodyTooLarge(1))) throw new Error('isBodyError');
  const { items } = await listed.json();
  console.log(`health ${answer.status}, created ${created.status}, listed ${items.length}`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
