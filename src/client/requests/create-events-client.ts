import { systemClock } from '../../clock/clock.js';
import type { JsonObject } from '../../json/json-tree.js';
import type { Event } from '../../model/event.js';
import { checkOptions } from '../../options/check-options.js';
import type {
  CallOptions,
  EventKey,
  EventPatch,
  EventSelection,
  EventsClient,
  WriteOptions,
} from '../contract/events-client.js';
import { responseError } from '../contract/errors.js';
import type { ConnectedTransport, Transport } from '../contract/transport.js';
import { callObject, type CallContext, type ClientRequest, DEFAULTS } from './call.js';
import {
  deleteCollectionRules,
  deleteRules,
  getRules,
  listRules,
  watchRequestRules,
  writeRules,
} from './call-options.js';
import { createNamed } from './create-event.js';
import { listEvents } from './list-events.js';
import { clientRules, type EventsClientOptions } from './options.js';
import { createPaths, type QueryParameters } from './paths.js';
import { from, isEventObject } from './read-response.js';
import { notCarriedOut, readFailed } from './repeat.js';
import { requestWatch } from './watch-request.js';

/**
 * Makes a client of the Event resource, of a server over HTTP or in the same process. It holds nothing that must be
 * closed; a transport is closed by the code that created it.
 *
 * @throws TypeError that lists every fault in the options
 */
export function createEventsClient(options: EventsClientOptions): EventsClient {
  checkOptions('createEventsClient', options, clientRules(), ({ transport, events, caller, group }) => [
    transport === undefined && events === undefined && 'give transport or events',
    transport !== undefined && events !== undefined && 'transport and events exclude each other',
    events !== undefined && group !== undefined && 'group is that of events: leave it out',
    events === undefined && caller !== undefined && 'caller is for events only: a transport has credentials of its own',
  ]);
  const { transport, events, fieldManager = 'kube-vitals', retry } = options;
  const group = options.group ?? events?.group ?? 'events.k8s.io';
  const own = options.namespace ?? (typeof transport === 'object' ? transport.namespace : undefined);
  const paths = createPaths(group);
  const context: CallContext & { readonly maxFrameBytes: number } = {
    transport: transportOf(options),
    server: typeof transport === 'object' ? transport.server : undefined,
    clock: options.clock ?? systemClock,
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    retry: {
      retries: retry?.retries ?? DEFAULTS.retry.retries,
      firstDelayMs: retry?.firstDelayMs ?? DEFAULTS.retry.firstDelayMs,
      longestDelayMs: retry?.longestDelayMs ?? DEFAULTS.retry.longestDelayMs,
    },
    maxResponseBytes: options.maxResponseBytes ?? 67_108_864,
    maxFrameBytes: options.maxFrameBytes ?? 4_194_304,
    onWarning: options.onWarning,
  };

  const namespaceOf = (given: string | undefined): string => {
    const namespace = given ?? own;
    if (namespace === undefined)
      throw new TypeError('no namespace: set it on the event or as an option of createEventsClient');
    return namespace;
  };
  const selected = <T extends EventSelection>(given: T): T => ({
    ...given,
    namespace: given.namespace === undefined ? own : given.namespace,
  });
  const written = (given: WriteOptions): QueryParameters => ({
    dryRun: given.dryRun ? 'All' : undefined,
    fieldManager: given.fieldManager ?? fieldManager,
    fieldValidation: given.fieldValidation,
  });
  const call = (request: ClientRequest, given: CallOptions & Pick<WriteOptions, 'dryRun'>) =>
    callObject(context, request, given, request.method === 'GET' || given.dryRun ? readFailed : notCarriedOut);
  const eventOf = (object: JsonObject): Event => {
    if (!isEventObject(object)) throw responseError(`the response${from(context)} is not an event`, 200);
    return object as unknown as Event;
  };
  const named = (event: Event): Event => ({ ...event, kind: 'Event', apiVersion: `${group}/v1` });

  return {
    group,
    namespace: own,
    async get(key, limits = {}) {
      const { namespace, name } = checkedKey(key);
      checkOptions('get', limits, getRules);
      const url = paths.event(namespaceOf(namespace), name, { resourceVersion: limits.resourceVersion });
      return eventOf(await call({ method: 'GET', url }, limits));
    },
    list(given = {}) {
      checkOptions('list', given, listRules);
      return listEvents(context, paths, selected(given));
    },
    async create(event, given = {}) {
      const { name, namespace } = metadataOf(event);
      checkOptions('create', given, writeRules);
      const space = namespaceOf(namespace);
      const create = { method: 'POST', url: paths.collection(space, written(given)), json: named(event) } as const;
      if (!name || given.dryRun) return eventOf(await call(create, given));
      const read = { method: 'GET', url: paths.event(space, name) } as const;
      return eventOf(await createNamed(context, event, create, read, given));
    },
    async update(event, given = {}) {
      const { name, namespace } = metadataOf(event);
      checkOptions('update', given, writeRules);
      const url = paths.event(namespaceOf(namespace), name, written(given));
      return eventOf(await call({ method: 'PUT', url, json: named(event) }, given));
    },
    async patch(key, change, given = {}) {
      const { namespace, name } = checkedKey(key);
      checkOptions('patch', given, writeRules);
      for (const part of [change, change?.patch]) mustBeObject(part, "the change: { type: 'merge', patch }");
      const force = change.type === 'apply' ? change.force : undefined;
      const url = paths.event(namespaceOf(namespace), name, { ...written(given), force });
      const json = change.type === 'apply' ? applied(change.patch, name, group) : change.patch;
      const request = { method: 'PATCH', url, json, contentType: patchType(change) } as const;
      return eventOf(await call(request, given));
    },
    async delete(key, given = {}) {
      const { namespace, name } = checkedKey(key);
      checkOptions('delete', given, deleteRules);
      const { uid, resourceVersion, dryRun } = given;
      const url = paths.event(namespaceOf(namespace), name, { dryRun: dryRun ? 'All' : undefined });
      const preconditions = { uid, resourceVersion };
      const isAny = uid === undefined && resourceVersion === undefined;
      const json = isAny ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
      await call({ method: 'DELETE', url, json }, given);
    },
    async deleteCollection(given) {
      // A misspelled selector would delete all events of the namespace.
      checkOptions('deleteCollection', given, deleteCollectionRules);
      const selection = selected(given);
      const url = paths.selection(selection, { dryRun: given.dryRun ? 'All' : undefined });
      await call({ method: 'DELETE', url }, given);
    },
    watch(given = {}) {
      checkOptions('watch', given, watchRequestRules);
      return requestWatch(context, paths, selected(given));
    },
  };
}

function mustBeObject(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) throw new TypeError(`give ${what}`);
}

function checkedKey(key: EventKey): EventKey {
  mustBeObject(key, 'the event: { namespace, name }');
  return key;
}

function metadataOf(event: Event): Event['metadata'] {
  mustBeObject((event as Event | undefined)?.metadata, 'an event with its metadata: { metadata: { name }, … }');
  return event.metadata;
}

function transportOf({ transport, events, caller }: EventsClientOptions): Transport {
  if (events !== undefined) return events.as(caller ?? { name: 'kube-vitals-client' });
  if (typeof transport === 'function') return transport;
  const { handle } = transport as ConnectedTransport;
  return handle.bind(transport);
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML; servers before Kubernetes 1.34 accept no other media type for it.
  apply: 'application/apply-patch+yaml',
} as const satisfies Record<EventPatch['type'], string>;

function patchType({ type }: EventPatch): string {
  if (!Object.hasOwn(PATCH_TYPES, type))
    throw new TypeError("the type of a patch is 'json', 'merge', 'strategic' or 'apply'");
  return PATCH_TYPES[type];
}

/** An applied configuration must contain its kind and name. */
function applied(patch: object, name: string, group: string): object {
  const { metadata, ...rest } = patch as { readonly metadata?: object };
  return { kind: 'Event', apiVersion: `${group}/v1`, ...rest, metadata: { name, ...metadata } };
}
