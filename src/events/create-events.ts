import { createBodyLimits } from '../api/body/parse-body.js';
import { createFieldTracker } from '../api/managed-fields/field-tracker.js';
import { REQUEST_TIMEOUT_MS } from '../api/options/query.js';
import { createChunkMemory } from '../api/representation/chunk-memory.js';
import { MAX_SELECTOR_TERMS } from '../api/selectors/contract.js';
import { acceptCaller, createAccess } from '../auth/access.js';
import { createImpersonation } from '../auth/impersonation.js';
import { systemClock, atNextTurn } from '../clock/clock.js';
import { refuseListener, type ApiHandler } from '../http/handler.js';
import type { ApiRequest } from '../http/request.js';
import { createEventRateLimits } from '../limits/event-rate-limits.js';
import { createInFlightLimits } from '../limits/in-flight.js';
import type { Caller } from '../model/caller.js';
import { createNotifier } from '../observe/observation.js';
import { observedStore } from '../store/observed-store.js';
import { createExpiryLoop } from '../store/expiry-loop.js';
import { createStoreTime } from '../store/store-time.js';
import { createWatchHub } from '../store/watch/watch-hub.js';
import { createDocuments } from './documents/documents.js';
import { createActivity } from './pipeline/activity.js';
import { observedAuthorizer } from './pipeline/observed-authorizer.js';
import { createWatchedSelections } from './request/watched-selections.js';
import { handleRequest } from './pipeline/handle-request.js';
import { createNegotiate } from './pipeline/negotiate.js';
import { checkOptions } from '../options/check-options.js';
import { eventsOptionRules, type EventsOptions } from './options.js';
import type { PipelineDependencies } from './pipeline/request-context.js';
import { coreV1 } from './versions/core-v1.js';
import { eventsV1 } from './versions/events-v1.js';
import { createEventReader } from './stored-form/read-event.js';
import { createTextBytes } from './stored-form/encode-event.js';
import { createEventMutex } from './request/event-mutex.js';
import { createUids } from './request/uids.js';
import { createWholeSeconds } from '../time/timestamp.js';

/** The Event resource on one store. All functions may be detached. */
export interface Events {
  /** The API group, `events.<apiDomain>`. */
  readonly group: string;
  /**
   * Handles `/apis/events.<apiDomain>…`; with `coreV1` also `/api/v1` and the event paths below it; and, as `discovery`
   * specifies, `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`. Returns `undefined` for all other paths.
   */
  readonly handle: ApiHandler;
  /**
   * Returns a handler that treats every request as coming from this caller: without authentication, but with
   * authorization as usual. Adds the group `system:authenticated` to the caller, as authentication does. Throws a
   * TypeError if the caller has no name.
   */
  as(caller: Pick<Caller, 'name'> & Partial<Caller>): ApiHandler;
  /**
   * Waits until it is the turn of this client, identified by its address. For paths outside the Event API, such as
   * health and the service's own routes. `undefined` means *now*, as for all clients that do not exceed their share.
   */
  readonly turn: (request: ApiRequest) => Promise<unknown> | undefined;
  /** Ends watches and timers. The store stays open, because the service owns it. May be called twice. */
  close(): Promise<void>;
}

/**
 * Creates the Event resource `events.<apiDomain>/v1`, and with `coreV1` the same events as `v1` of the core group. It
 * opens no port: mount `handle` on a server, as in `toNodeListener(firstOf(health.handle, events.handle))`. Until
 * `close()` it removes events whose `ttlMs` (an hour) is over; close the store afterwards.
 *
 * @throws TypeError that lists every fault in the options
 */
export function createEvents(options: EventsOptions): Events {
  checkOptions('createEvents', options, eventsOptionRules());
  const { apiDomain, observe, ttlMs = 3_600_000 } = options;
  const clock = options.clock ?? systemClock;
  const notify = createNotifier(observe);
  const store = observe === undefined ? options.store : observedStore(options.store, notify, clock);
  const hub = createWatchHub({ store, clock, observe });
  const time = createStoreTime({ store, clock, toleranceMs: options.clockToleranceMs, holdMs: ttlMs });
  const expiry = createExpiryLoop({ store, clock, time, observe, intervalMs: options.expiryIntervalMs });
  const fieldTracker = createFieldTracker();
  const activity = observe && createActivity(clock, notify, hub.ring);
  const report = (hook: string, error: unknown): void => notify({ type: 'error', error, where: `events: ${hook}` });
  const versions = [eventsV1(apiDomain), ...(options.coreV1 ? [coreV1(apiDomain)] : [])];
  const dependencies: PipelineDependencies = {
    store,
    hub,
    chunkMemory: createChunkMemory(),
    watchedSelections: createWatchedSelections(),
    clock,
    time,
    access: createAccess({
      authenticate: options.authenticate,
      authorize: observedAuthorizer(options.authorize, (error) => report('authorize', error)),
      impersonation: options.impersonation ? createImpersonation : undefined,
      report,
      clock,
    }),
    limits: createInFlightLimits(options.limits ?? {}, { clock, atNextTurn, taken: activity?.taken }),
    rates: options.eventRateLimits?.length ? createEventRateLimits(options.eventRateLimits, clock) : undefined,
    ttlMs,
    types: new Set(options.types ?? ['Normal', 'Warning']),
    maxBodyBytes: options.maxBodyBytes ?? 524_288,
    bodyLimits: createBodyLimits(options.maxBodyFields, options.maxYamlCharacters),
    maxSelectorTerms: options.maxSelectorTerms ?? MAX_SELECTOR_TERMS,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    managedFields: options.managedFields ?? true,
    fieldTracker,
    wholeSeconds: createWholeSeconds(),
    textBytes: createTextBytes(),
    uids: createUids(),
    eventMutex: createEventMutex(clock),
    readEvent: createEventReader(fieldTracker.entriesOf),
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    minWatchMs: options.minWatchMs ?? 1_800_000,
    watchObserver: activity && { notify, sent: activity.sent },
    versions,
    documents: createDocuments(versions, options.discovery),
    negotiate: createNegotiate(() => clock.now()),
    notify,
  };
  expiry.start(); // last, so that a failed creation leaves nothing running
  const serve = (request: ApiRequest, given: unknown, preset?: Caller): ReturnType<ApiHandler> => {
    refuseListener(given);
    expiry.retry();
    return handleRequest(dependencies, request, preset);
  };
  return {
    group: `events.${apiDomain}`,
    handle: (request, given?: unknown) => serve(request, given),
    as(caller) {
      const preset = acceptCaller(caller);
      if (!preset) throw new TypeError('events.as: the caller needs a name, and its groups a list');
      return (request, given?: unknown) => serve(request, given, preset);
    },
    turn: (request) => dependencies.limits.turn(undefined, request),
    async close() {
      hub.close();
      activity?.close();
      await expiry.stop();
    },
  };
}
