export { createHealth } from './health/create-health.js';
export type {
  CheckContext,
  CheckFunction,
  CheckReport,
  CheckResult,
  CheckStatus,
  Health,
  HealthChange,
  HealthCheck,
  HealthReport,
  HealthRoot,
  PostStartHook,
} from './health/contract.js';
export type { HealthOptions } from './health/options.js';
export {
  createLifecycle,
  type Lifecycle,
  type LifecyclePhase,
  type ShutdownResult,
} from './lifecycle/create-lifecycle.js';
export type { LifecycleOptions, ShutdownStep } from './lifecycle/options.js';
export { runPostStartHooks, type PostStartHooksOptions, type StartupHook } from './lifecycle/post-start-hooks.js';

export { createEvents, type Events } from './events/create-events.js';
export type { EventsOptions } from './events/options.js';
export {
  createApiServer,
  type ApiServer,
  type ApiServerOptions,
  type ApiServerEvents,
  type ApiServerPart,
} from './server/create-api-server.js';
export type { EventRateLimit, EventRateLimitType } from './limits/event-rate-limit-options.js';
export type { InFlightLimitOptions } from './limits/in-flight-options.js';

export { allowRules, type AllowRule } from './auth/allow-rules.js';
export { badCredential, isBadCredential, type BadCredential } from './auth/contract.js';
export { allowAnonymous, clientCertificate, firstAuthenticator } from './auth/authenticators.js';
export { callerFrom } from './auth/caller-from.js';
export { allowAuthenticated, allowEverybody, anyOf } from './auth/authorizers.js';
export {
  createImpersonation,
  type CreateImpersonation,
  type Impersonate,
  type Impersonated,
} from './auth/impersonation.js';
export { staticTokens, type StaticTokenCaller, type StaticTokens } from './auth/static-tokens.js';
export type {
  Attributes,
  Authenticate,
  Authorize,
  Decision,
  PathAttributes,
  ResourceAttributes,
} from './auth/contract.js';

export { memoryStore } from './store/memory/memory-store.js';
export type { MemoryStoreOptions } from './store/memory/options.js';
export type {
  Change,
  ChangesOptions,
  CreateEvent,
  EventKey,
  EventStore,
  ExpireOptions,
  FieldTerm,
  GetEvent,
  JsonPage,
  JsonSource,
  JsonWriter,
  ListEvents,
  ListPage,
  ListQuery,
  Position,
  RemoveOptions,
  ReplaceOptions,
  Revision,
  StoreCall,
  StoreCapabilities,
  WriteOptions,
} from './store/contract/event-store.js';
export type { ByteHints, ByteRange, EncodedEvent, EventRecord } from './store/contract/record.js';
export {
  copyEvents,
  type CopyEventsOptions,
  type CopyProgress,
  type CopyResult,
  type SkippedEvent,
} from './store/copy-events.js';
export { createEventStore } from './store/shell/create-event-store.js';
export type { ReopeningPauses, StoreEngine } from './store/shell/store-engine.js';
export {
  createPagedFeeds,
  type FeedOptions,
  type FeedSource,
  type PagedFeeds,
  type PagedFeedsOptions,
} from './store/feeds/paged-feed.js';
export { resolveUnknownOutcomes } from './store/unknown-outcomes.js';
export { isStoreError, storeError, type StoreError, type StoreErrorCode } from './store/contract/errors.js';
export { storeCheck, type StoreCheckOptions } from './store-check.js';

export { bodyAborted, bodyTooLarge, isBodyError, type BodyError } from './http/body.js';
export { firstOf } from './http/handler.js';
export type { ApiHandler } from './http/handler.js';
export type { ApiRequest, PeerCertificate, RequestHeaders } from './http/request.js';
export type { ApiResponse, ResponseHeaders } from './http/response.js';

export { systemClock, type Clock, type ClockTimer } from './clock/clock.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
export type { Caller } from './model/caller.js';
export type { Event, EventList, EventSeries, EventSource, ObjectReference } from './model/event.js';
export type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './model/object-meta.js';
export type { Status, StatusCause, StatusDetails, StatusReason } from './model/status.js';
