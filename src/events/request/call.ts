import type { Query } from '../../http/url.js';
import type { BodyLimits } from '../../api/body/parse-body.js';
import type { FieldTracker } from '../../api/managed-fields/field-tracker.js';
import type { ChunkMemory } from '../../api/representation/chunk-memory.js';
import type { Access } from '../../auth/access.js';
import type { Clock } from '../../clock/clock.js';
import { sharedTurn } from '../../clock/shared-turn.js';
import type { ApiRequest } from '../../http/request.js';
import type { EventRateLimits } from '../../limits/event-rate-limits.js';
import type { InFlightLimits } from '../../limits/in-flight.js';
import type { Caller } from '../../model/caller.js';
import type { EventKey, EventStore, Revision, StoreCall } from '../../store/contract/event-store.js';
import { type EncodedEvent, type EventRecord, eventSize } from '../../store/contract/record.js';
import type { StoreTime } from '../../store/store-time.js';
import type { WatchObserver } from '../../observe/observation.js';
import type { WatchHub } from '../../store/watch/watch-hub.js';
import type { WatchedSelections } from './watched-selections.js';
import type { RequestLife } from './request-life.js';
import type { ReadEvent } from '../stored-form/read-event.js';
import type { Scope, Verb } from './scope.js';
import type { TextBytes } from '../stored-form/encode-event.js';
import type { EventVersion } from '../versions/version.js';
import type { Batches, FrameEncoder } from '../../api/representation/contract.js';
import type { JsonSource } from '../../json/json-source.js';
import type { EventMutex } from './event-mutex.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { Status } from '../../model/status.js';
import { statusFailure } from '../../api/status/status-failure.js';
import type { Attributes } from '../../auth/contract.js';
import { forbiddenStatus } from '../../auth/refusal.js';
import type { GroupResource } from '../../responses/group-resource.js';
import { chain } from '../../http/promise.js';
import { NOSNIFF } from '../../responses/fixed-responses.js';

/** Shared by all requests of one `createEvents`. */
export interface EventsDependencies {
  readonly store: EventStore;
  readonly hub: WatchHub;
  readonly chunkMemory: ChunkMemory;
  readonly watchedSelections: WatchedSelections;
  readonly clock: Clock;
  /** The time for timestamps and expiry. */
  readonly time: StoreTime;
  readonly access: Access;
  readonly limits: InFlightLimits;
  /** Absent if the rate of writes is not limited. */
  readonly rates: EventRateLimits | undefined;
  readonly ttlMs: number;
  readonly types: ReadonlySet<string>;
  readonly maxBodyBytes: number;
  readonly bodyLimits: BodyLimits;
  readonly maxSelectorTerms: number;
  /** The deadline of all requests; for a watch, until it begins and for the steps of its initial events. */
  readonly requestTimeoutMs: number;
  readonly managedFields: boolean;
  readonly fieldTracker: FieldTracker;
  readonly wholeSeconds: (micros: number) => string;
  readonly textBytes: TextBytes;
  readonly readEvent: (event: EncodedEvent) => ReadEvent;
  readonly uids: () => string;
  readonly eventMutex: EventMutex;
  readonly bookmarkIntervalMs: number;
  readonly minWatchMs: number;
  /** Observes watches and their frames; absent without an observer. */
  readonly watchObserver?: WatchObserver | undefined;
}

/** One request for a verb: authenticated, authorized and routed, with a negotiated representation. */
export interface VerbCall {
  readonly dependencies: EventsDependencies;
  readonly request: ApiRequest;
  readonly life: RequestLife;
  readonly version: EventVersion;
  readonly scope: Scope;
  readonly query: Query;
  readonly caller: Caller;
  /** See `Representation`. */
  readonly joinsItems: boolean;
  /** Texts for `Warning` headers; verbs add to it. */
  readonly warnings: string[];
  /** Whether the event rate limits have counted this request. */
  isCounted?: boolean;
}

export function resourceOf(call: VerbCall): GroupResource {
  return { group: call.version.group, resource: 'events' };
}

export function keyOf(call: VerbCall): EventKey {
  return { namespace: call.scope.namespace, name: call.scope.name };
}

/** The options of a store call that may return an older state. A class: a literal with a getter costs 0.5 µs. */
export class LooseRead implements StoreCall {
  readonly mayBeStale: boolean;
  readonly notOlderThan: Revision | undefined;
  readonly #life: RequestLife;

  /** @param notOlderThan the oldest acceptable revision; 0: any; undefined: the latest state only */
  constructor(life: RequestLife, notOlderThan: Revision | undefined) {
    this.#life = life;
    this.mayBeStale = notOlderThan === 0;
    this.notOlderThan = notOlderThan === 0 ? undefined : notOlderThan;
  }

  get aborted(): boolean {
    return this.#life.aborted;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }
}

export function expiryOf(dependencies: EventsDependencies): number {
  return Math.min(Math.round(dependencies.time.now() + dependencies.ttlMs * 1000), Number.MAX_SAFE_INTEGER);
}

export type Result =
  | { readonly kind: 'object'; readonly status: 200 | 201 | 202; readonly json: JsonSource }
  | {
      readonly kind: 'list';
      readonly meta: ListMeta;
      readonly batches: Batches;
      readonly memory?: ChunkMemory;
      /** Bytes of events that are in memory before the response begins. */
      readonly ahead?: number;
    }
  | { readonly kind: 'watch'; frames(encoder: FrameEncoder, onEnd: () => void): AsyncIterable<Uint8Array> }
  | { readonly kind: 'status'; readonly status: Status };

/** Whether a verb changes nothing. */
export const isRead = (verb: Verb | ''): boolean => verb === 'get' || verb === 'list' || verb === 'watch';

/** Bodies and events above this size take milliseconds to read, change or convert. */
const LARGE_EVENT_BYTES = 524_288;

/** Waits one turn of the event loop between two steps of work on many bytes; undefined, without delay, for few. */
export function yieldIfLarge(bytes: number): Promise<void> | undefined {
  return bytes > LARGE_EVENT_BYTES ? sharedTurn() : undefined;
}

/**
 * Runs a step of a request whose place was granted in an earlier turn of the event loop: now, or when it is the turn of
 * its caller again if the steps of others have taken all the time of this turn, or if this one `isLong`.
 */
export function inTurn<R>(call: VerbCall, step: () => R | Promise<R>, isLong = false): R | Promise<R> {
  const { life } = call;
  return (
    call.dependencies.limits.step(call.caller, life, isLong)?.then(() => {
      // Requests that end while they wait all leave the queue at once.
      life.throwIfAborted();
      return step();
    }) ?? step()
  );
}

export function storedObject(call: VerbCall, status: 200 | 201 | 202, record: EventRecord): Result | Promise<Result> {
  if (eventSize(record.event) > LARGE_EVENT_BYTES) return largeObject(call, status, record);
  return { kind: 'object', status, json: call.version.object(record) };
}

async function largeObject({ version }: VerbCall, status: 200 | 201 | 202, record: EventRecord): Promise<Result> {
  await sharedTurn();
  const json = version.object(record);
  await sharedTurn();
  return { kind: 'object', status, json };
}

/** Requires that the authorizer allows the request. @throws StatusFailure 403 */
export function authorize(access: Access, caller: Caller, attributes: Attributes): void | Promise<void> {
  return chain(access.authorize(caller, attributes), ({ allowed, reason }) => {
    if (!allowed) throw statusFailure(forbiddenStatus(caller, attributes, reason), NOSNIFF);
  });
}
