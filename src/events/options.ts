import { isApiDomain } from '../api/validation/name-forms.js';
import { MAX_PATCH_MEMBERS } from '../api/body/parse-body.js';
import type { Authenticate, Authorize } from '../auth/contract.js';
import { aRequiredHook } from '../auth/hook-kinds.js';
import type { Clock } from '../clock/clock.js';
import { eventRateLimits, type EventRateLimit } from '../limits/event-rate-limits.js';
import { inFlightLimits, type InFlightLimitOptions } from '../limits/in-flight-options.js';
import type { Observe } from '../observe/observation.js';
import type { OptionRules } from '../options/check-options.js';
import {
  aBoolean,
  aClock,
  aFunction,
  aNumber,
  aWholeNumber,
  isNonEmptyString,
  mustBe,
  required,
} from '../options/rules.js';
import type { EventStore } from '../store/contract/event-store.js';
import { anEventStore } from '../store/contract/store-rule.js';

/** Options of {@link createEvents}. */
export interface EventsOptions {
  /** The domain after `events.`: `example.com` serves the group `events.example.com`. A DNS subdomain. */
  readonly apiDomain: string;
  /** The store of the events. `close()` does not close it, because the service owns it. */
  readonly store: EventStore;
  /** Determines the caller of a request. Required; `allowAnonymous()` opens the API to everybody. */
  readonly authenticate: Authenticate;
  /** Decides what a caller may do. Required. */
  readonly authorize: Authorize;
  /**
   * Serves the same events as core `v1` too, at `/api/v1/…/events`, where `kubectl events` and `kubectl describe` read
   * them. Default: false. Only the older rules apply to events written there, so such an event may violate the newer
   * ones.
   */
  readonly coreV1?: boolean | undefined;
  /**
   * Records in `metadata.managedFields` who manages which field, as Kubernetes does; server-side apply needs it.
   * Default: true. False saves the bytes (about a third of a small event): stored entries remain, and only server-side
   * apply still uses and adds entries.
   */
  readonly managedFields?: boolean | undefined;
  /**
   * Lets callers act as another user through `Impersonate-User` and the related headers, where `authorize` allows them
   * the verb `impersonate` (or Kubernetes' constrained verbs). An authorizer that allows a caller everything allows
   * this, too. Default: false: a request with any `Impersonate-*` header is 403 for every caller.
   */
  readonly impersonation?: boolean | undefined;
  /** Event types that may be written. Default: `['Normal', 'Warning']`. A list replaces these. */
  readonly types?: readonly string[] | undefined;
  /**
   * How long an event lives after its last write, in milliseconds. Dry runs and writes that change nothing do not renew
   * it. Default: 1 hour, at least 1 s.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Whether `events.handle` serves the discovery roots `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`, which kubectl
   * reads first. Services may have routes with these names, so by default it serves them only if no other handler
   * follows (`hasNext` of the request): in `toNodeListener` without `next`, in `kube-vitals/fastify` and
   * `kube-vitals/koa` if no route matches, and in `createApiServer`. True: always, ahead of the routes that follow.
   * False: never, for services in which another part serves them.
   */
  readonly discovery?: boolean | undefined;
  /**
   * The largest request body, in bytes. Default: 512 KiB (524,288): twice the 256 KiB allowed for annotations, the only
   * part of an event that can be large. At most 3 MiB (3,145,728), Kubernetes' own limit: a body is processed without
   * yielding, and a larger one can block the event loop for longer than 50 ms.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The most fields and list items in a request body, at all levels. Default: 4,000, at most 100,000; more is 413.
   * Processing a body costs 5 to 10 µs for each of them without yielding: 4,000 take less than 50 ms, 100,000 block the
   * event loop for more than half a second. An ordinary event has 60, plus 3 for every label. A changed event may have
   * twice this limit plus 100 (8,100 by default), because managed fields double the number sent; more is 413. The
   * operations of a JSON Patch may always have 100,000.
   */
  readonly maxBodyFields?: number | undefined;
  /**
   * The longest YAML text in a request body, in UTF-16 code units. Includes the body of a server-side apply, unless it
   * is JSON. Default: 131,072; longer is 400 `document is too complex`. YAML costs a hundred times as much as JSON.
   * Texts that do not consist mainly of long scalars reach another, fixed limit first: 6,000 lexical tokens (about
   * 1,000 lines).
   */
  readonly maxYamlCharacters?: number | undefined;
  /**
   * The maximum number of terms of a `labelSelector`, and of a `fieldSelector`: requirements, and the values in the
   * parentheses of `in` and `notin`. Default: 512; more is 400. Each term costs 1.6 µs per request and some 100 bytes
   * for as long as a watch with that selector is open; selectors of people and controllers have up to some dozens.
   */
  readonly maxSelectorTerms?: number | undefined;
  /**
   * How long a request may take until the last byte of its response, in milliseconds, at least 1. After that the
   * response is 504, or its stream is aborted, and its place among the requests in flight is released. `?timeout=` can
   * only shorten it. A watch may take that long until it begins, and its store for each step of the initial events.
   * Default: 60,000, as in kube-apiserver's `--request-timeout`.
   */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * How often a watch that requested bookmarks gets one, if its revision has advanced since the last one. Default:
   * 60,000 ms.
   */
  readonly bookmarkIntervalMs?: number | undefined;
  /**
   * A watch without `timeoutSeconds` ends after a random time between this and twice this, in milliseconds. Default: 30
   * minutes.
   */
  readonly minWatchMs?: number | undefined;
  /** How often expired events are removed. Default: 1,000 ms. */
  readonly expiryIntervalMs?: number | undefined;
  /** How many requests and watches may be in flight, in total and per caller. */
  readonly limits?: InFlightLimitOptions | undefined;
  /**
   * How far the clock of this process may be off before events are no longer expired, in milliseconds: compared with
   * the clock of the store if replicas share one, otherwise with the elapsed time. Default: 5,000. See `storeCheck`,
   * which reports it to probes.
   */
  readonly clockToleranceMs?: number | undefined;
  /**
   * Limits on how many events are created and changed, as in kube-apiserver's EventRateLimit admission: 429 above a
   * limit. Every limit is checked and consumes a token, even if another one refuses the write. Dry runs do not count.
   * Default: none.
   */
  readonly eventRateLimits?: readonly EventRateLimit[] | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives requests and unexpected errors. Default: errors are emitted as process warnings, see {@link Observe}. */
  readonly observe?: Observe | undefined;
}

export const eventsOptionRules = (): OptionRules<EventsOptions> => ({
  apiDomain: required(
    mustBe((value) => typeof value === 'string' && isApiDomain(value), 'a DNS subdomain such as "example.com"'),
  ),
  store: required(anEventStore),
  authenticate: aRequiredHook('authenticate'),
  authorize: aRequiredHook('authorize'),
  coreV1: aBoolean,
  managedFields: aBoolean,
  impersonation: aBoolean,
  types: mustBe(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString),
    'a non-empty list of non-empty strings',
  ),
  ttlMs: aNumber(1000),
  discovery: aBoolean,
  maxBodyBytes: aWholeNumber(1, 3_145_728), // what Kubernetes accepts
  maxBodyFields: aWholeNumber(1, MAX_PATCH_MEMBERS),
  maxYamlCharacters: aWholeNumber(1),
  maxSelectorTerms: aWholeNumber(1),
  requestTimeoutMs: aNumber(1),
  bookmarkIntervalMs: aNumber(10),
  minWatchMs: aNumber(1000),
  expiryIntervalMs: aNumber(10),
  limits: inFlightLimits(),
  clockToleranceMs: aNumber(1),
  eventRateLimits: eventRateLimits(),
  clock: aClock,
  observe: aFunction,
});
