export { createEventsClient } from './client/requests/create-events-client.js';
export type { EventsClientOptions, RetryOptions, ServedEvents } from './client/requests/options.js';
export type {
  // Other entry points have types with these names, and a name must be unique in the reference.
  CallOptions as ClientCallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  EventKey as ClientEventKey,
  EventListing,
  EventPage,
  EventPatch,
  EventsClient,
  EventSelection,
  GetOptions,
  ListOptions,
  WatchFrame,
  WatchOptions,
  WriteOptions as ClientWriteOptions,
} from './client/contract/events-client.js';
export {
  connectionError,
  type ConnectionError,
  isAlreadyExists,
  isConflict,
  isConnectionError,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isResponseError,
  isStatusError,
  isTooManyRequests,
  isUnauthorized,
  type ResponseError,
  type StatusError,
} from './client/contract/errors.js';
export type { ConnectedTransport, Transport } from './client/contract/transport.js';
export type { Event, EventSeries, EventSource, ObjectReference } from './model/event.js';
export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from './model/object-meta.js';
export type { StatusCause, StatusDetails } from './model/status.js';
export type { Caller } from './model/caller.js';
export type { ApiHandler } from './http/handler.js';
export type { ApiRequest, BodyCall, PeerCertificate, RequestHeaders } from './http/request.js';
export type { ApiResponse, ResponseHeaders } from './http/response.js';
export { systemClock, type Clock, type ClockTimer } from './clock/clock.js';
export { httpTransport } from './client/transport/http/http-transport.js';
export type { ConnectionSettings, HttpTransportOptions, TlsOptions } from './client/transport/http/options.js';
export { kubeconfigTransport } from './client/transport/kubeconfig/kubeconfig-transport.js';
export type {
  DefaultTransportOptions,
  InClusterTransportOptions,
  KubeconfigTransportOptions,
} from './client/transport/kubeconfig/options.js';
export { defaultTransport, inClusterTransport } from './client/transport/environment-transports.js';
export { createRecorder } from './client/recorder/create-recorder.js';
export { recordHealthChanges, type RecordableHealthChange } from './client/recorder/record-health-changes.js';
export type {
  AsyncDisposing,
  DropReason,
  EventInput,
  FlushOptions,
  KubernetesObject,
  Recorder,
  RecorderStats,
  Regarding,
} from './client/recorder/contract.js';
export type { RecorderClient, RecorderOptions, RecorderRateLimit, ReporterOptions } from './client/recorder/options.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
export type { AbortCode } from './model/abort-code.js';
export { watchEvents } from './client/watching/watch-events.js';
export type { FollowOptions, WatchEventsOptions } from './client/watching/watch-options.js';
export type { EventChange, RelistedNotice } from './client/watching/changes.js';
export {
  createEventsCache,
  type EventHandler,
  type EventsCache,
  type EventsCacheOptions,
} from './client/watching/events-cache.js';
export type { EventIndexer } from './client/watching/index-by.js';
export { exportEvents, type EventSink, type ExportEventsOptions } from './client/watching/export-events.js';
