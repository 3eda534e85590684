export { createMetrics, type Metrics, type MetricsOptions } from './metrics/create-metrics.js';
export type { MetricsRegistry } from './metrics/prom-client.js';
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
export type { Caller } from './model/caller.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
