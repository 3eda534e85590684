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

export { createEvents, type Events } from './events/create-events.js';
export type { EventsOptions } from './events/options.js';
export {
  createApiServer,
  type ApiServer,
  type ApiServerOptions,
  type ApiServerEvents,
  type ApiServerPart,
} from './server/create-api-server.js';
export type { VersionInfo } from './api/discovery/version.js';
export type { EventRateLimit, EventRateLimitType } from './limits/event-rate-limits.js';
export type { InFlightLimitOptions } from './limits/in-flight-options.js';

export { allowRules, type AllowRule } from './auth/allow-rules.js';
export { badCredential, isBadCredential, type BadCredential } from './auth/contract.js';
export { allowAnonymous, clientCertificate, firstAuthenticator } from './auth/authenticators.js';
export { callerFrom } from './auth/caller-from.js';
export { allowAuthenticated, allowEverybody, anyOf } from './auth/authorizers.js';
export { createImpersonation } from './auth/impersonation.js';
export { staticTokens, type StaticTokenCaller, type StaticTokens } from './auth/static-tokens.js';
export type {
  Attributes,
  Authenticate,
  Authorize,
  CreateImpersonation,
  Decision,
  PathAttributes,
  ResourceAttributes,
} from './auth/contract.js';

export { memoryStore } from './store/memory/memory-store.js';
export type { MemoryStoreOptions } from './store/memory/options.js';
export { cachedStore } from './store/cached/cached-store.js';
export type { CachedStoreOptions } from './store/cached/options.js';
export type { CachedStore, CacheState, CacheStatus } from './store/cached/status.js';
export type { EventStore } from './store/contract/event-store.js';
export { isStoreError, type StoreError, type StoreErrorCode } from './store/contract/errors.js';
export { storeCheck, type StoreCheckOptions } from './checks/store.js';

export { firstOf, type ApiHandler } from './http/handler.js';
export type { ApiRequest } from './http/request.js';
export type { ApiResponse } from './http/response.js';

export type { Clock } from './clock/clock.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
export type { Caller } from './model/caller.js';
export type { Event, EventList, EventSeries, EventSource, ObjectReference } from './model/event.js';
export type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './model/object-meta.js';
export type { Status, StatusCause, StatusDetails, StatusReason } from './model/status.js';
