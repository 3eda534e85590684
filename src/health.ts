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
export type { ApiHandler } from './http/handler.js';
export type { ApiRequest, PeerCertificate, RequestHeaders } from './http/request.js';
export type { ApiResponse, ResponseHeaders } from './http/response.js';
export type {
  Attributes,
  Authenticate,
  Authorize,
  CreateImpersonation,
  Decision,
  Impersonate,
  Impersonated,
  PathAttributes,
  ResourceAttributes,
} from './auth/contract.js';
export type { Status, StatusCause, StatusDetails, StatusReason } from './model/status.js';
export type { ListMeta } from './model/object-meta.js';
export type { Caller } from './model/caller.js';
export type { Clock, ClockTimer } from './clock/clock.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
