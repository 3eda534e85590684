import { allowAuthenticated, createEvents, firstOf, isStoreError, memoryStore, staticTokens } from 'kube-vitals';
import { toFetchHandler } from 'kube-vitals/fetch';
import { createHealth } from 'kube-vitals/health';
import { toNodeListener } from 'kube-vitals/node';
import { bodyAborted, isBodyError, type BodyError } from 'kube-vitals/bridge';
import { createEventStore, storeError, type StoreEngine } from 'kube-vitals/store';
import { call } from 'kube-vitals/testing';
import { createServer } from 'node:http';
import type { ApiHandler, Authorize, EventStore, StoreErrorCode } from 'kube-vitals';

const store: EventStore = memoryStore();
const authorize: Authorize = allowAuthenticated();
const events = createEvents({
  apiDomain: 'example.com',
  store,
  authenticate: staticTokens({ s3cret: { name: 'ops' } }),
  authorize,
});
const health = createHealth();
const handler: ApiHandler = firstOf(health.handle, events.handle);
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

const answer = await call(handler, 'GET /readyz');
const created = await call(handler, `POST ${path}`, { token: 's3cret', json: event });
const listed = await call(handler, `GET ${path}`, { token: 's3cret' });
const server = createServer(toNodeListener(handler));
server.close();
const fetched: Response | undefined = await toFetchHandler(handler)(new Request('http://localhost/readyz'));
if (fetched?.status !== 200) throw new Error('toFetchHandler');

export const codeOf = (error: unknown): StoreErrorCode | undefined => (isStoreError(error) ? error.code : undefined);

/** A store and a bridge are written with the names of their own entries. */
export const madeStore = (engine: StoreEngine): EventStore => createEventStore(engine);
const left: BodyError = bodyAborted();
if (!isBodyError(left) || codeOf(storeError('closed', 'over')) !== 'closed') throw new Error('not recognised');

const { items } = (await listed.json()) as { items: unknown[] };
console.log(`health ${answer.status}, created ${created.status}, listed ${items.length}`);
