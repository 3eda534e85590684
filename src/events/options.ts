import { MAX_PATCH_MEMBERS } from '../api/body/member-limit.js';
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

/** What {@link createEvents} needs and may be told. */
export interface EventsOptions {
  /** The domain behind `events.`: `example.com` serves the group `events.example.com`. A DNS subdomain. */
  readonly apiDomain: string;
  /** Where events are kept. `close()` does not close it: it is the service's. */
  readonly store: EventStore;
  /** Who a request comes from. Required: opening the API to everybody is said with `allowAnonymous()`. */
  readonly authenticate: Authenticate;
  /** Who may do what. Required. */
  readonly authorize: Authorize;
  /**
   * Serves the same events as core `v1` too, at `/api/v1/…/events`: what `kubectl events` and `kubectl describe` read.
   * Default false. There events are only held to the older rules, so that an event written there may break newer ones.
   */
  readonly coreV1?: boolean | undefined;
  /**
   * Records in `metadata.managedFields` who manages which field, as Kubernetes does; server-side apply needs it. Default
   * true. False saves the bytes (about half of a small event): stored entries stay, none are added, and apply still works
   * on what it finds.
   */
  readonly managedFields?: boolean | undefined;
  /**
   * Lets callers act as somebody else through `Impersonate-User` and its companions, where `authorize` allows them the
   * verb `impersonate` (or Kubernetes' constrained verbs). An authorizer that allows everything to a caller allows this, too.
   * Default false: a request with any `Impersonate-*` header is 403 for everybody.
   */
  readonly impersonation?: boolean | undefined;
  /** Event types that may be written. Default `['Normal', 'Warning']`. Specification 9: more may be added. */
  readonly types?: readonly string[] | undefined;
  /** How long a written event lives, milliseconds. Every real write renews it. Default 1 hour, at least 1 s. */
  readonly ttlMs?: number | undefined;
  /**
   * Whether `events.handle` answers the discovery roots `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`, which kubectl reads
   * first. Services may have routes of these names, so by default it does so only where nobody is asked after it (`hasNext`
   * of the request): behind `toNodeListener` without `next`, `kube-vitals/fastify` and `kube-vitals/koa` where no route
   * matches, and `createApiServer`. True: always, before the routes that come after it. False: never, for services in which
   * another part answers them.
   */
  readonly discovery?: boolean | undefined;
  /**
   * The largest request body, bytes. Default 512 KiB (524,288): twice the 256 KiB that annotations may have, the only part
   * of an event that can be large. At most 3 MiB (3,145,728), Kubernetes' own limit: whatever is done with a body is done
   * in one stretch, and a larger one can hold the event loop for longer than 50 ms.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The most fields and list items in a request body, at all levels. Default 4,000, at most 100,000; more is 413. Whatever
   * is done with a body costs 5 to 10 µs for each of them in one stretch: 4,000 stay below 50 ms, 100,000 hold the event
   * loop for more than half a second. An ordinary event has 60, and 3 more with every label. A change may make an event of
   * twice as many and 100 more (8,100), because managed fields double what was sent; beyond that it is 413. A JSON Patch
   * may always have 100,000 in its operations.
   */
  readonly maxBodyFields?: number | undefined;
  /**
   * The longest YAML in a request body, in UTF-16 units: that of a server-side apply, too, unless it is JSON. Default
   * 131,072; longer is 400 `document is too complex`. YAML costs a hundred times as much as JSON. Its 6,000 lexical pieces
   * (about 1,000 lines) stay the bound of texts that are not mostly long scalars.
   */
  readonly maxYamlCharacters?: number | undefined;
  /**
   * The most terms of a `labelSelector`, and of a `fieldSelector`: requirements, and the values between the parentheses of
   * `in` and `notin`. Default 512; more is 400. Each costs 1.6 µs for the request and some 100 bytes for as long as a watch
   * with that selector lives; what people and controllers write has some dozens.
   */
  readonly maxSelectorTerms?: number | undefined;
  /**
   * How long a request that is no watch may take until the last byte of its answer, milliseconds. Default 60,000 as
   * kube-apiserver's `--request-timeout`, at least 1. Then it is 504, or its stream is broken off, and its place goes to
   * others. `?timeout=` can only shorten it.
   */
  readonly requestTimeoutMs?: number | undefined;
  /** How often a watch that asked for bookmarks gets one while nothing else moves it. Default 60,000 ms. */
  readonly bookmarkIntervalMs?: number | undefined;
  /** A watch without `timeoutSeconds` ends after this long to twice this long. Default 30 minutes. */
  readonly minWatchMs?: number | undefined;
  /** How often due events are removed. Default 1,000 ms. */
  readonly expiryIntervalMs?: number | undefined;
  /** How many requests and watches may be under way, in all and of one caller. */
  readonly limits?: InFlightLimitOptions | undefined;
  /**
   * How far the clock of this process may be off before it expires nothing, in milliseconds: compared with the clock of the
   * store where replicas share one, else with the time that has passed. Default 5,000. See `storeCheck`, which tells probes.
   */
  readonly clockToleranceMs?: number | undefined;
  /**
   * How many events may be created and changed, as kube-apiserver's EventRateLimit admission limits them: 429 beyond. All
   * limits are asked, and each takes a token also where another one refuses. A dry run counts nothing. Default none.
   */
  readonly eventRateLimits?: readonly EventRateLimit[] | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Told about requests and unexpected errors. Default: errors are process warnings, see {@link Observe}. */
  readonly observe?: Observe | undefined;
}

const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The rules of all options. */
export const eventsOptionRules = (): OptionRules<EventsOptions> => ({
  apiDomain: required(
    mustBe(
      (value) => typeof value === 'string' && DOMAIN.test(value) && value.length <= 246,
      'a DNS subdomain such as "example.com"',
    ),
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
