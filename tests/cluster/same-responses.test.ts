import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agent, request } from 'undici';
import { allowRules, createEvents, memoryStore, staticTokens } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { createKubeApiserver, type KubeApiserver } from './kube-apiserver.js';

/** Method, path and body. `E` and `C` stand for the events of the namespace in events.k8s.io/v1 and in core/v1. */
type Step = readonly [method: string, path: string, body?: object | undefined, headers?: Record<string, string>];
type Json = Record<string, unknown>;

const typeOf = (kind: string) => ({ 'content-type': `application/${kind}` });
const APPLY = typeOf('apply-patch+yaml');
const MERGE = typeOf('merge-patch+json');
const TOKEN = 'administrator';

let kube: KubeApiserver;
let dispatcher: Agent;
const closing: (() => Promise<unknown>)[] = [];
let ownPort = 0;

beforeAll(async () => {
  kube = await createKubeApiserver();
  closing.push(() => kube.remove());
  await kube.start();
  dispatcher = new Agent({ connect: { ca: kube.certificates.ca } });
  closing.push(() => dispatcher.close());
  const authenticate = staticTokens(new Map([[TOKEN, { name: 'administrator', groups: ['system:masters'] }]]));
  const authorize = allowRules([{ groups: ['system:masters'], verbs: ['*'], resources: ['*'] }]);
  const store = memoryStore({ startAt: 1_000_000 });
  const options = { apiDomain: 'k8s.io', coreV1: true, managedFields: true, maxBodyBytes: 3 * 1024 * 1024 };
  const events = createEvents({ ...options, authenticate, authorize, store });
  const server = createServer(toNodeListener(events.handle)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ownPort = (server.address() as AddressInfo).port;
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await events.close();
    await store.close();
  });
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** The responses to some requests in a new namespace, without what differs on purpose. */
async function responses(base: string, namespace: string, steps: readonly Step[]): Promise<string[]> {
  const names = new Map<string, string>();
  const named = (kind: string, text: string): string => {
    const name = names.get(text) ?? `<${kind} ${names.size}>`;
    names.set(text, name);
    return name;
  };
  const results: string[] = [];
  for (const [method, path, body, more] of steps) {
    const group = path.startsWith('C') ? '/api/v1' : '/apis/events.k8s.io/v1';
    const headers = { authorization: `Bearer ${TOKEN}`, 'user-agent': 'test/1', ...typeOf('json'), ...more };
    const sent = body === undefined ? null : JSON.stringify(body).replaceAll('NAMESPACE', namespace);
    const url = `${base}${group}/namespaces/${namespace}/events${path.slice(1)}`;
    const response = await request(url, { method: method as 'GET', headers, body: sent, dispatcher });
    const { warning, 'content-type': type } = response.headers;
    const text = (await response.body.text())
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => named('uid', uid))
      .replace(/(List","apiVersion":"[^"]+","metadata":\{"resourceVersion":")\d+/g, '$1<list>')
      // What an apply sent, and in a dry run gets back from kube-apiserver if it would create the event.
      .replace(/"resourceVersion":"[01]",/, '')
      .replace(/(?<="resourceVersion":")\d{3,}/g, (revision) => named('revision', revision))
      .replace(/(?<="continue":")[\w-]+/g, keyOf)
      .replace(/(?<="(?:creationTimestamp|deletionTimestamp|time)":")[^"]+/g, '<time>');
    // Some faults of a client are a 500 in Kubernetes (docs/decisions/0012-client-mistakes-are-not-500.md).
    const status = response.statusCode === 500 ? 400 : response.statusCode;
    results.push(`${method} ${path}: ${status} ${String(type)} ${String(warning)} ${comparable(text)}`);
  }
  return results;
}

const keyOf = (token: string): string =>
  /start":(.*)}/.exec(Buffer.from(token, 'base64url').toString())?.[1]?.slice(1, -7) ?? token;

/** A body with managed fields in an order that does not depend on the second; of failures what is not worded otherwise. */
function comparable(text: string): string {
  const body = JSON.parse(text) as Json;
  if (body['status'] === 'Failure') return failure(body);
  for (const object of [body, ...((body['items'] ?? []) as Json[])]) {
    const { managedFields } = (object['metadata'] ?? {}) as { managedFields?: unknown[] };
    managedFields?.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  }
  return JSON.stringify(body);
}

/** Reason, message and causes of a failure; of several causes the set, and of the message what has no fields of events. */
function failure({ reason = 'BadRequest', message, details }: Json): string {
  const { causes, ...rest } = (details ?? {}) as { causes?: { reason: string; message: string; field: string }[] };
  if (causes === undefined) return JSON.stringify([reason, String(message).replace(/scheme ".+"/, ''), rest]);
  const found = causes.map((cause) => `${cause.reason} ${OWN_FIELDS[cause.field] ?? cause.field}`);
  return JSON.stringify([reason, rest, [...new Set(found)].sort()]);
}

/** docs/decisions/0004-field-names-in-errors.md; in both servers, since a cause of core/v1 has the older name in both. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  ...{ involvedObject: 'regarding', 'involvedObject.namespace': 'regarding.namespace', message: 'note' },
  ...{ count: 'deprecatedCount', source: 'deprecatedSource', firstTimestamp: 'deprecatedFirstTimestamp' },
  ...{ lastTimestamp: 'deprecatedLastTimestamp' },
};

async function expectSame(namespace: string, steps: readonly Step[]): Promise<void> {
  await kube.makeNamespace(namespace);
  const [theirs, ours] = await Promise.all([
    responses(`https://127.0.0.1:${kube.port}`, namespace, steps),
    responses(`http://127.0.0.1:${ownPort}`, namespace, steps),
  ]);
  for (const [index, response] of theirs.entries()) expect(ours[index]).toBe(response);
}

const CONTENT = {
  ...{ eventTime: '2026-07-01T10:20:30.123456Z', reportingInstance: 'tester-0', action: 'Testing', reason: 'Tested' },
  type: 'Normal',
};
const REGARDING = { kind: 'Pod', namespace: 'NAMESPACE', name: 'web-1' };
const event = (metadata: Json, more: Json = {}): Json => {
  const own = { regarding: REGARDING, reportingController: 'example.com/tester', note: 'hello' };
  return { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, ...CONTENT, ...own, ...more };
};
const coreEvent = (metadata: Json, more: Json = {}): Json => {
  const own = { involvedObject: REGARDING, message: 'hello', source: { component: 'kubelet' }, count: 3 };
  return { apiVersion: 'v1', kind: 'Event', metadata, reason: 'Tested', type: 'Warning', ...own, ...more };
};

/** Writes of one event by several managers, in both versions, chosen by a sequence of numbers that `seed` begins. */
function writes(seed: number): Step[] {
  let state = seed;
  const chance = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 0x8000_0000;
  const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(chance() * choices.length)] as T;
  const some = (members: readonly (readonly [chance: number, key: string, value: unknown])[]): Json =>
    Object.fromEntries(members.filter(([likely]) => chance() < likely).map(([, key, value]) => [key, value]));
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' };
  const other = { ...owner, name: 'y', controller: true };
  const metadata = (): Json =>
    some([
      [0.5, 'labels', pick<unknown>({}, { a: '1' }, { a: '2', 'x/b': '' }, { 'x/b': '3' }, { 'no label': '1' }, null)],
      [0.3, 'annotations', pick<unknown>({ n: '1' }, { n: '<2>', o: 'é' }, null)],
      [0.3, 'finalizers', pick<unknown>([], ['a.b/c'], ['d.e/f', 'a.b/c'], ['a.b/c', 'd.e/f'], null)],
      [0.3, 'ownerReferences', pick<unknown>([], [owner], [{ ...owner, uid: 'v' }, other], null)],
      [0.05, 'resourceVersion', pick('0', '', '1', 'x')],
    ]);
  const time = (): string => `2026-07-01T1${pick(0, 2)}:20:30.000000Z`;
  const content = (isCore: boolean): Json =>
    some([
      [0.4, 'series', pick<unknown>({ count: 2, lastObservedTime: time() }, { count: pick(3, 4) }, null)],
      [0.1, isCore ? 'message' : 'note', pick('hello', 'other', '', null)],
      [0.1, isCore ? 'involvedObject' : 'regarding', pick<unknown>(REGARDING, { namespace: 'NAMESPACE' }, null)],
      [0.1, isCore ? 'count' : 'deprecatedCount', pick(0, 3, 5, null)],
      [0.1, isCore ? 'source' : 'deprecatedSource', pick<unknown>({}, { component: 'c', host: 'h' }, null)],
      [0.05, 'type', pick('Normal', 'Warning', '', null)],
      [0.03, 'unknown', 1],
    ]);
  const write = (): Step => {
    const isCore = chance() < 0.35;
    const path = isCore ? 'C/one' : 'E/one';
    const options = `fieldManager=${pick('a', 'b', 'c', 'kubectl')}${pick('', '', '&dryRun=All', '&fieldValidation=Strict')}`;
    const change = { metadata: metadata(), ...content(isCore) };
    const named = { ...change, metadata: { ...change.metadata, name: 'one' } };
    const kind = { apiVersion: isCore ? 'v1' : 'events.k8s.io/v1', kind: 'Event' };
    const add = ([key, value]: [string, unknown]) => ({ op: 'add', path: `/metadata/${key}`, value });
    const forced = `${path}?${options}${pick('', '&force=true')}`;
    const whole = isCore ? coreEvent : event;
    return pick<Step>(
      ['PATCH', forced, { ...kind, ...named }, APPLY],
      ['PATCH', forced, { ...whole({}), ...named }, APPLY],
      ['PATCH', `${path}?${options}`, change, MERGE],
      ['PATCH', `${path}?${options}`, change, typeOf('strategic-merge-patch+json')],
      ['PATCH', `${path}?${options}`, Object.entries(change.metadata).map(add), typeOf('json-patch+json')],
      ['PUT', `${path}?${options}`, whole(named.metadata, content(isCore))],
      pick<Step>(['DELETE', path, {}], ['GET', 'E/one'], ['GET', 'C/one']),
    );
  };
  const first = pick<Step>(['POST', 'E', event({ name: 'one' })], ['POST', 'C', coreEvent({ name: 'one' })]);
  return [first, ...Array.from({ length: 12 }, write), ['GET', 'E/one'], ['GET', 'C/one']];
}

test('an event that several managers write in both versions is that of kube-apiserver', async () => {
  for (let seed = 1; seed <= 200; seed++) await expectSame(`writes-${seed}`, writes(seed));
});

test('lists with options and selectors are those of kube-apiserver', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const reason = (index: number): Json => ({ reason: index < 2 ? 'First' : 'Second' });
  const creates = names.map((name, index): Step => [
    'POST',
    'E',
    event({ name, labels: { app: name } }, reason(index)),
  ]);
  const fields = ['metadata.name=a', 'reason!=First', 'reason=First,type=Normal', 'note=x', 'x', 'a=\\x', 'type=', ','];
  const labels = [
    'app=a',
    'app!=a',
    '!app',
    'app in (a,b)',
    'app notin (a)',
    'app in (a',
    'app>1',
    'a b',
    '=x',
    'app=a,',
  ];
  const queries = [
    ...fields.map((selector) => `fieldSelector=${encodeURIComponent(selector)}`),
    ...labels.map((selector) => `limit=1&labelSelector=${encodeURIComponent(selector)}`),
    ...['limit=2', 'limit=x', 'limit=-1', 'continue=x', 'resourceVersion=x', 'resourceVersion=999999999999'],
    ...[
      'resourceVersionMatch=Exact',
      'resourceVersion=0&resourceVersionMatch=Exact',
      'sendInitialEvents=true',
      'timeout=x',
    ],
  ];
  const lists = queries.flatMap((query): Step[] => [
    ['GET', `E?${query}`],
    ['GET', `C?${query}`],
    ['GET', `E?${query}`, undefined, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }],
  ]);
  await expectSame('lists', [...creates, ...lists]);
});

test('the options of writes are refused as by kube-apiserver', async () => {
  const queries = [
    'dryRun=x',
    'dryRun=All&dryRun=All',
    'fieldManager=%07',
    'fieldValidation=x',
    'force=true',
    'timeout=5',
  ];
  const bodies = [{ propagationPolicy: 'x', orphanDependents: true }, { gracePeriodSeconds: 'x' }, { dryRun: ['x'] }];
  const uid = { preconditions: { uid: 'x' } };
  await expectSame('options', [
    ...queries.flatMap((query): Step[] => [
      ['POST', `E?${query}`, event({ name: 'one' })],
      ['PUT', `E/one?${query}`, event({ name: 'one', labels: { a: 'b' } })],
      ['PATCH', `E/one?${query}`, { metadata: { labels: { c: 'd' } } }, MERGE],
      ['PATCH', `E/two?${query}`, event({ name: 'two' }), APPLY],
    ]),
    ...[...bodies, uid, { kind: 'Foo' }, {}].map((body): Step => ['DELETE', 'E/one', body]),
  ]);
});
