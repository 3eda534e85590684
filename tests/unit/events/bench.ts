import { onTestFinished } from 'vitest';
import { createBodyLimits } from '../../../src/api/body/parse-body.js';
import { createFieldTracker } from '../../../src/api/managed-fields/field-tracker.js';
import { readListOptions } from '../../../src/api/options/list-options.js';
import type { FrameEncoder } from '../../../src/api/representation/contract.js';
import { createAccess } from '../../../src/auth/access.js';
import { createEvents, type Events } from '../../../src/events/create-events.js';
import type { EventsOptions } from '../../../src/events/options.js';
import { readSelection } from '../../../src/events/listing/list-query.js';
import { scopeOf } from '../../../src/events/request/scope.js';
import { createWatchedSelections } from '../../../src/events/request/watched-selections.js';
import type { EventsDependencies, VerbCall } from '../../../src/events/request/call.js';
import { createChunkMemory } from '../../../src/api/representation/chunk-memory.js';
import { RequestLife } from '../../../src/events/request/request-life.js';
import { eventsV1 } from '../../../src/events/versions/events-v1.js';
import { WatchStream } from '../../../src/events/watching/watch-stream.js';
import { parseQuery, splitUrl } from '../../../src/http/url.js';
import { createEventReader } from '../../../src/events/stored-form/read-event.js';
import { createEventMutex } from '../../../src/events/request/event-mutex.js';
import { createUids } from '../../../src/events/request/uids.js';
import { createTextBytes } from '../../../src/events/stored-form/encode-event.js';
import { createWholeSeconds } from '../../../src/time/timestamp.js';
import { createInFlightLimits } from '../../../src/limits/in-flight.js';
import { atNextTurn } from '../../../src/clock/clock.js';
import type { Caller } from '../../../src/model/caller.js';
import type { Observation } from '../../../src/observe/observation.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { createStoreTime } from '../../../src/store/store-time.js';
import { createWatchHub, type WatchHub } from '../../../src/store/watch/watch-hub.js';
import { call, type CallOptions, type CallResult } from '../../../src/testing/call.js';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.js';

export type Json = Record<string, unknown>;

const GROUP = 'events.example.com';
export const ROOT = `/apis/${GROUP}/v1`;
export const CALLER: Caller = { name: 'tester', groups: [] };

/** The collection of a namespace, and what is appended. */
export const path = (rest = '', namespace = 'default'): string => `${ROOT}/namespaces/${namespace}/events${rest}`;

/** An event that breaks no rule. */
export const event = (name: string | undefined, more: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Event',
  metadata: { ...(name !== undefined && { name }), ...metadata },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  note: 'a note',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  ...more,
});

export const metaOf = (object: unknown): Json => (object as { metadata: Json }).metadata;
export const namesOf = (list: unknown): unknown[] =>
  (list as { items: Json[] }).items.map((item) => metaOf(item)['name']);

/** The Event API on a store that can be watched and tampered with. */
export interface Bench {
  readonly events: Events;
  readonly store: EventStore;
  readonly clock: FakeClock;
  readonly observed: Observation[];
  ask(target: string, options?: CallOptions): Promise<CallResult>;
  /** Status code and parsed body. */
  json(target: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; json: Json }>;
  /** Creates an event and returns it. */
  create(name: string, more?: Json, metadata?: Json): Promise<Json>;
  /** The revision of the list: it moves with every change. */
  revision(): Promise<string>;
}

/** A bench, closed with the test. `wrap` puts something between the API and its memory store. */
export function bench(
  options: Partial<EventsOptions> = {},
  wrap: (store: EventStore) => EventStore = (store) => store,
): Bench {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  const observed: Observation[] = [];
  const events = createEvents({
    apiDomain: 'example.com',
    store: wrap(store),
    authenticate: () => CALLER,
    authorize: () => ({ allowed: true }),
    clock,
    observe: (observation) => void observed.push(observation),
    ...options,
  });
  onTestFinished(async () => {
    await events.close();
    await store.close();
  });
  const ask: Bench['ask'] = (target, how) => call(events.handle, target, how);
  const json: Bench['json'] = async (target, body, headers) => {
    const response = await ask(target, { ...(body !== undefined && { json: body }), ...(headers && { headers }) });
    return { status: response.status, json: await response.json<Json>() };
  };
  return {
    events,
    store,
    clock,
    observed,
    ask,
    json,
    async create(name, more, metadata) {
      const response = await json(`POST ${path()}`, event(name, more, metadata));
      if (response.status !== 201) throw new Error(`create answered ${JSON.stringify(response)}`);
      return response.json;
    },
    revision: async () => String(await store.revision()),
  };
}

/** What a verb receives, and parts of it that the public API does not show. */
interface VerbBench {
  readonly store: EventStore;
  readonly hub: WatchHub;
  readonly clock: FakeClock;
  readonly dependencies: EventsDependencies;
  call(target: string, signal?: AbortSignal): VerbCall;
}

export function verbBench(wrap: (store: EventStore) => EventStore = (store) => store, historyMs?: number): VerbBench {
  const clock = fakeClock();
  const store = wrap(memoryStore({ clock, ...(historyMs !== undefined && { historyMs }) }));
  const hub = createWatchHub({ store, clock });
  onTestFinished(async () => {
    hub.close();
    await store.close();
  });
  const version = eventsV1('example.com');
  const fieldTracker = createFieldTracker();
  const dependencies: EventsDependencies = {
    store,
    hub,
    textBytes: createTextBytes(),
    uids: createUids(),
    eventMutex: createEventMutex(clock),
    readEvent: createEventReader(fieldTracker.entriesOf),
    chunkMemory: createChunkMemory(),
    watchedSelections: createWatchedSelections(),
    clock,
    time: createStoreTime({ store, clock }),
    access: createAccess({ authenticate: () => CALLER, authorize: () => ({ allowed: true }) }),
    limits: createInFlightLimits({}, { clock, atNextTurn }),
    rates: undefined,
    ttlMs: 3_600_000,
    types: new Set(['Normal', 'Warning']),
    maxBodyBytes: 1_000_000,
    bodyLimits: createBodyLimits(),
    maxSelectorTerms: 512,
    requestTimeoutMs: 60_000,
    managedFields: true,
    fieldTracker,
    wholeSeconds: createWholeSeconds(),
    bookmarkIntervalMs: 60_000,
    minWatchMs: 1_800_000,
  };
  return {
    store,
    hub,
    clock,
    dependencies,
    call(target, signal) {
      const [method = '', url = ''] = target.split(' ');
      const parts = splitUrl(url);
      const query = parseQuery(parts.query);
      const scope = scopeOf(method, parts.path, query, [version]);
      if (!scope) throw new Error(`no scope: ${target}`);
      const request = { method, url, ...(signal && { signal }) };
      const life = new RequestLife(request, dependencies.clock);
      return { dependencies, request, life, version, scope, query, caller: CALLER, joinsItems: false, warnings: [] };
    },
  };
}

export interface Frame {
  readonly type: string;
  readonly object: Json & { metadata: Json };
}

/** A watch opened on the verb's level. */
export interface OpenedWatch {
  /** The frames of the next chunk; undefined at the end. */
  next(): Promise<readonly Frame[] | undefined>;
  readonly iterator: AsyncIterator<Uint8Array>;
  /** How often the end was reported. */
  ends(): number;
}

export const plainEncoder: FrameEncoder = {
  cacheKey: 'json',
  encode: (type, json) =>
    new TextEncoder().encode(`{"type":"${type}","object":${new TextDecoder().decode(json).trim()}}\n`),
};

export function openedWatch(
  from: VerbBench,
  query = '',
  { signal, encoder = plainEncoder }: { signal?: AbortSignal; encoder?: FrameEncoder } = {},
): OpenedWatch {
  const verb = from.call(`GET ${path()}?watch=1${query}`, signal);
  const options = readListOptions(verb.query);
  let ends = 0;
  const selection = { selector: readSelection(verb, options), key: query };
  const { frames } = new WatchStream({ call: verb, options, selection, encoder }, () => void ends++);
  const iterator = frames[Symbol.asyncIterator]();
  return {
    iterator,
    ends: () => ends,
    async next() {
      const step = await iterator.next();
      if (step.done) return undefined;
      const lines = new TextDecoder().decode(step.value).split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Frame);
    },
  };
}

/** Enough turns of the event loop for everything that is ready to happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
