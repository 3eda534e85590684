import { describe, expect, test } from 'vitest';
import { bench, event, metaOf, path, ROOT, settled, type Bench, type Json } from '../bench.js';

/** The least time between two wake-ups of many watchers. */
const PACE_MS = 2;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const GROUP_VERSION = 'events.example.com/v1';

/** What is written: enough that every watcher below has events of its own and events that are not. */
interface Written {
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly app: string;
}

const WRITTEN: readonly Written[] = [
  { namespace: 'red', name: 'one', type: 'Normal', app: 'web' },
  { namespace: 'blue', name: 'one', type: 'Warning', app: 'web' },
  { namespace: 'red', name: 'two', type: 'Warning', app: 'db' },
  { namespace: 'blue', name: 'two', type: 'Normal', app: 'db' },
];

interface Watcher {
  readonly what: string;
  readonly target: string;
  readonly accept?: string;
  readonly wants: (event: Written) => boolean;
}

const collection = (namespace: string): string => `/namespaces/${namespace}/events?watch=1`;
const field = (selector: string): string => `&fieldSelector=${encodeURIComponent(selector)}`;

/** Every way in which two watches of the same changes can differ. */
const WATCHERS: readonly Watcher[] = [
  { what: 'all namespaces', target: `${ROOT}/events?watch=1`, wants: () => true },
  { what: 'red', target: ROOT + collection('red'), wants: ({ namespace }) => namespace === 'red' },
  { what: 'blue', target: ROOT + collection('blue'), wants: ({ namespace }) => namespace === 'blue' },
  {
    what: 'name one in red',
    target: `${ROOT}/watch/namespaces/red/events/one?`,
    wants: ({ namespace, name }) => namespace === 'red' && name === 'one',
  },
  {
    what: 'name two in red',
    target: `${ROOT}/watch/namespaces/red/events/two?`,
    wants: ({ namespace, name }) => namespace === 'red' && name === 'two',
  },
  {
    what: 'warnings in red',
    target: ROOT + collection('red') + field('type=Warning'),
    wants: ({ namespace, type }) => namespace === 'red' && type === 'Warning',
  },
  {
    what: 'normal events in red',
    target: ROOT + collection('red') + field('type=Normal'),
    wants: ({ namespace, type }) => namespace === 'red' && type === 'Normal',
  },
  {
    what: 'web in red',
    target: `${ROOT}${collection('red')}&labelSelector=app%3Dweb`,
    wants: ({ namespace, app }) => namespace === 'red' && app === 'web',
  },
  {
    what: 'db in red',
    target: `${ROOT}${collection('red')}&labelSelector=app%3Ddb`,
    wants: ({ namespace, app }) => namespace === 'red' && app === 'db',
  },
  { what: 'core/v1 in all namespaces', target: '/api/v1/events?watch=1', wants: () => true },
  {
    what: 'core/v1 in red',
    target: `/api/v1${collection('red')}`,
    wants: ({ namespace }) => namespace === 'red',
  },
  {
    what: 'core/v1 warnings in blue',
    target: `/api/v1${collection('blue')}${field('type=Warning')}`,
    wants: ({ namespace, type }) => namespace === 'blue' && type === 'Warning',
  },
  {
    what: 'a Table of red',
    target: ROOT + collection('red'),
    accept: TABLE,
    wants: ({ namespace }) => namespace === 'red',
  },
  {
    what: 'metadata of red',
    target: ROOT + collection('red'),
    accept: METADATA,
    wants: ({ namespace }) => namespace === 'red',
  },
];

const idOf = ({ namespace, name }: Pick<Written, 'namespace' | 'name'>): string => `${namespace}/${name}`;

interface Sent {
  readonly type: string;
  readonly object: Json;
}

/** Which event a frame is about, whatever it is shown as. */
function subjectOf({ object }: Sent): string {
  const shown = object['kind'] === 'Table' ? (object['rows'] as { object: Json }[])[0]?.object : object;
  const { namespace, name } = metaOf(shown) as { namespace: string; name: string };
  return idOf({ namespace, name });
}

/** What the frames of a watcher look like: its version and its representation. */
function formOf({ object }: Sent): unknown {
  return [object['kind'], object['apiVersion'], 'regarding' in object, 'involvedObject' in object];
}

function expectedForm({ target, accept }: Watcher): unknown {
  if (accept === TABLE) return ['Table', 'meta.k8s.io/v1', false, false];
  if (accept === METADATA) return ['PartialObjectMetadata', 'meta.k8s.io/v1', false, false];
  return target.startsWith('/api/v1') ? ['Event', 'v1', false, true] : ['Event', GROUP_VERSION, true, false];
}

/** The frames are these, each in the form that the watcher requested. */
function expectSent(watcher: Watcher, frames: readonly Sent[], wanted: readonly string[]): void {
  const { what } = watcher;
  expect([what, frames.map((frame) => `${frame.type} ${subjectOf(frame)}`)]).toEqual([what, wanted]);
  for (const frame of frames) expect([what, formOf(frame)]).toEqual([what, expectedForm(watcher)]);
}

async function write({ json }: Bench): Promise<void> {
  for (const { namespace, name, type, app } of WRITTEN) {
    const body = event(name, { type, regarding: { kind: 'Pod', namespace, name: 'web-1' } }, { labels: { app } });
    const { status } = await json(`POST ${path('', namespace)}`, body);
    expect(status).toBe(201);
  }
}

/** The change that makes `one` of red match other selectors than before. */
async function relabel({ json }: Bench): Promise<void> {
  const { status } = await json(
    `PATCH ${path('/one', 'red')}`,
    { metadata: { labels: { app: 'db' } } },
    { 'content-type': 'application/merge-patch+json' },
  );
  expect(status).toBe(200);
}

/** Opens a watch; what it is sent arrives in the list. */
async function open(bench: Bench, { target, accept }: Watcher, from: string): Promise<Sent[]> {
  const headers = accept === undefined ? {} : { accept };
  const response = await bench.ask(`GET ${target}&resourceVersion=${from}`, { headers });
  expect(response.status).toBe(200);
  const frames: Sent[] = [];
  void (async () => {
    for await (const frame of response.frames<Sent>()) frames.push(frame);
  })();
  return frames;
}

async function delivered(bench: Bench): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await settled();
    bench.clock.advance(PACE_MS);
  }
  await settled();
}

/** One after the other in both orders, because what the first requested must not be what the second is sent. */
const ORDERS: readonly (readonly [string, readonly Watcher[]])[] = [
  ['in this order', WATCHERS],
  ['in the other order', [...WATCHERS].reverse()],
];

describe.each(ORDERS)('watchers of one API, opened %s', (_, watchers) => {
  test('are sent exactly what they requested of new changes', async () => {
    const api = bench({ coreV1: true });
    const from = await api.revision();
    const opened = new Map<Watcher, Sent[]>();
    for (const watcher of watchers) opened.set(watcher, await open(api, watcher, from));
    await settled();
    await write(api);
    await delivered(api);
    for (const [watcher, frames] of opened) {
      const wanted = WRITTEN.filter(watcher.wants).map((each) => `ADDED ${idOf(each)}`);
      expectSent(watcher, frames, wanted);
    }
  });

  test('are sent exactly what they requested of past changes', async () => {
    const api = bench({ coreV1: true });
    const from = await api.revision();
    await write(api);
    const opened = new Map<Watcher, Sent[]>();
    for (const watcher of watchers) opened.set(watcher, await open(api, watcher, from));
    await delivered(api);
    for (const [watcher, frames] of opened) {
      const wanted = WRITTEN.filter(watcher.wants).map((each) => `ADDED ${idOf(each)}`);
      expectSent(watcher, frames, wanted);
    }
  });

  test('are sent one change by its effect on each: begins to match, changes, ceases to match', async () => {
    const api = bench({ coreV1: true });
    await write(api);
    const from = await api.revision();
    const opened = new Map<Watcher, Sent[]>();
    for (const watcher of watchers) opened.set(watcher, await open(api, watcher, from));
    await settled();
    await relabel(api);
    await delivered(api);
    const [one] = WRITTEN;
    const relabelled = { ...(one as Written), app: 'db' };
    for (const [watcher, frames] of opened) {
      const [before, after] = [watcher.wants(one as Written), watcher.wants(relabelled)];
      const type = after ? (before ? 'MODIFIED' : 'ADDED') : before ? 'DELETED' : undefined;
      expectSent(watcher, frames, type === undefined ? [] : [`${type} red/one`]);
    }
  });
});

test('a selector that only another version supports is refused, even if it was used there before', async () => {
  const { json, ask } = bench({ coreV1: true });
  const selector = `&timeoutSeconds=-1${field('involvedObject.kind=Pod')}`;
  expect((await ask(`GET /api/v1${collection('red')}${selector}`)).status).toBe(200);
  expect(await json(`GET ${ROOT}${collection('red')}${selector}`)).toMatchObject({
    status: 400,
    json: { message: 'field label not supported: involvedObject.kind' },
  });
});
