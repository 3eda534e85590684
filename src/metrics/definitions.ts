import type { MetricDefinition } from './series.js';

const REQUEST = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
const WITH_DRY_RUN = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];

/** kube-apiserver's buckets of request durations, in seconds. */
const DURATIONS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** etcd clients', for calls of a store. */
const STORE_DURATIONS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const SIZES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Names, labels and buckets as kube-apiserver has them, from `staging/src/k8s.io/apiserver/pkg/endpoints/metrics`. */
const API: Readonly<
  Record<
    'requests' | 'durations' | 'sizes' | 'terminations' | 'inFlight' | 'longRunning' | 'watchEvents',
    MetricDefinition
  >
> = {
  requests: {
    name: 'apiserver_request_total',
    help: 'Answered requests of the Event API by verb, dry run, group, version, resource, scope and HTTP status code.',
    type: 'counter',
    labels: [...WITH_DRY_RUN, 'code'],
  },
  durations: {
    name: 'apiserver_request_duration_seconds',
    help: 'Seconds from the arrival of a request of the Event API to its response; of a stream, to its beginning.',
    type: 'histogram',
    labels: WITH_DRY_RUN,
    buckets: DURATIONS,
  },
  sizes: {
    name: 'apiserver_response_sizes',
    help: 'Bytes of the responses to GET and LIST that are not streamed.',
    type: 'histogram',
    labels: REQUEST,
    buckets: SIZES,
  },
  terminations: {
    name: 'apiserver_request_terminations_total',
    help: 'Requests that were refused to protect the server (429) or that took too long (504).',
    type: 'counter',
    labels: [...REQUEST, 'code'],
  },
  inFlight: {
    name: 'apiserver_current_inflight_requests',
    help: 'The most requests that were in flight within the last second.',
    type: 'gauge',
    labels: ['request_kind'],
  },
  longRunning: {
    name: 'apiserver_longrunning_requests',
    help: 'Open watches.',
    type: 'gauge',
    labels: REQUEST,
  },
  watchEvents: {
    name: 'apiserver_watch_events_total',
    help: 'Frames sent to watches.',
    type: 'counter',
    labels: ['group', 'version', 'resource'],
  },
};

/** As every component of Kubernetes has them at `/metrics/slis`, from `component-base/metrics/prometheus/slis`. */
const HEALTH: Readonly<Record<'check' | 'checks', MetricDefinition>> = {
  check: {
    name: 'kubernetes_healthcheck',
    help: 'The last result of a health check: 1 passed, 0 failed.',
    type: 'gauge',
    labels: ['name', 'type'],
  },
  checks: {
    name: 'kubernetes_healthchecks_total',
    help: 'The results of health checks, one for each check and probe.',
    type: 'counter',
    labels: ['name', 'type', 'status'],
  },
};

/** kube-apiserver's, from `staging/src/k8s.io/apiserver/pkg/storage/cacher/metrics`; there `group` stands in the place of `store`. */
const WATCH_CACHE: Readonly<
  Record<'cacheFills' | 'cacheReceived' | 'cacheRevision' | 'cacheWaits' | 'cacheReads', MetricDefinition>
> = {
  cacheFills: {
    name: 'apiserver_watch_cache_initializations_total',
    help: 'How often the watch cache has been filled.',
    type: 'counter',
    labels: ['store', 'resource'],
  },
  cacheReceived: {
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Changes that the watch cache has received from the feed of the store.',
    type: 'counter',
    labels: ['store', 'resource'],
  },
  cacheRevision: {
    name: 'apiserver_watch_cache_resource_version',
    help: 'The revision up to which the watch cache has every change.',
    type: 'gauge',
    labels: ['store', 'resource'],
  },
  cacheWaits: {
    name: 'apiserver_watch_cache_read_wait_seconds',
    help: 'Seconds that reads waited until the watch cache was as fresh as they need. Reads that did not have to wait are not counted.',
    type: 'histogram',
    labels: ['store', 'resource'],
    buckets: [0.001, ...STORE_DURATIONS.slice(0, 16)],
  },
  cacheReads: {
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Reads that waited for the watch cache: whether they were answered, and whether by the store, because it took too long.',
    type: 'counter',
    labels: ['store', 'resource', 'success', 'fallback'],
  },
};

/** What Kubernetes has no names for. */
const OWN: Readonly<
  Record<
    | 'changes'
    | 'watchEnds'
    | 'watchBytes'
    | 'ringBytes'
    | 'ringChanges'
    | 'feedChanges'
    | 'feedLag'
    | 'storeCalls'
    | 'storeFailures'
    | 'cacheReady'
    | 'cacheEvents'
    | 'cacheBytes'
    | 'cacheLag'
    | 'expired'
    | 'errors'
    | 'recorderEvents'
    | 'recorderDrops'
    | 'recorderPending'
    | 'recorderQueue',
    MetricDefinition
  >
> = {
  changes: {
    name: 'kube_vitals_check_changes_total',
    help: 'Changes of the status of health checks, by the status they changed to.',
    type: 'counter',
    labels: ['name', 'status'],
  },
  watchEnds: {
    name: 'kube_vitals_watch_ends_total',
    help: 'Watches that ended, by what ended them.',
    type: 'counter',
    labels: ['reason'],
  },
  watchBytes: {
    name: 'kube_vitals_watch_sent_bytes_total',
    help: 'Bytes sent to watches.',
    type: 'counter',
    labels: ['group', 'version', 'resource'],
  },
  ringBytes: {
    name: 'kube_vitals_ring_bytes',
    help: 'Bytes held by the buffer of recent changes that watches read from.',
    type: 'gauge',
    labels: [],
  },
  ringChanges: {
    name: 'kube_vitals_ring_changes',
    help: 'Changes held by the buffer of recent changes that watches read from.',
    type: 'gauge',
    labels: [],
  },
  feedChanges: {
    name: 'kube_vitals_feed_changes_total',
    help: 'Changes that the feed of the store delivered.',
    type: 'counter',
    labels: ['store'],
  },
  feedLag: {
    name: 'kube_vitals_feed_lag_seconds',
    help: 'Seconds from the answer to a write of this process until the feed of the store delivered it.',
    type: 'histogram',
    labels: ['store'],
    buckets: STORE_DURATIONS,
  },
  storeCalls: {
    name: 'kube_vitals_store_call_duration_seconds',
    help: 'Seconds that calls of the store took, by operation. Synchronous calls are not counted.',
    type: 'histogram',
    labels: ['store', 'operation'],
    buckets: STORE_DURATIONS,
  },
  storeFailures: {
    name: 'kube_vitals_store_call_failures_total',
    help: 'Calls of the store that failed, by the code of the failure.',
    type: 'counter',
    labels: ['store', 'operation', 'code'],
  },
  cacheReady: {
    name: 'kube_vitals_watch_cache_ready',
    help: 'Whether the watch cache answers reads with the latest state: 0 while it is filled, does not fit, or the store is away.',
    type: 'gauge',
    labels: ['store'],
  },
  cacheEvents: {
    name: 'kube_vitals_watch_cache_events',
    help: 'Events in the watch cache.',
    type: 'gauge',
    labels: ['store'],
  },
  cacheBytes: {
    name: 'kube_vitals_watch_cache_bytes',
    help: 'Bytes that the watch cache takes in memory.',
    type: 'gauge',
    labels: ['store'],
  },
  cacheLag: {
    name: 'kube_vitals_watch_cache_lag_seconds',
    help: 'For how long the watch cache has been behind a revision that is known to exist.',
    type: 'gauge',
    labels: ['store'],
  },
  expired: {
    name: 'kube_vitals_expired_events_total',
    help: 'Events that were removed because their time was up.',
    type: 'counter',
    labels: ['store'],
  },
  errors: {
    name: 'kube_vitals_errors_total',
    help: 'Unexpected errors, by the place that reported them.',
    type: 'counter',
    labels: ['where'],
  },
  recorderEvents: {
    name: 'kube_vitals_recorder_events_total',
    help: 'Events that recorders were given (recorded), and of those that were written, by reporting controller.',
    type: 'counter',
    labels: ['recorder', 'state'],
  },
  recorderDrops: {
    name: 'kube_vitals_recorder_drops_total',
    help: 'Events that recorders have dropped, by reporting controller and reason.',
    type: 'counter',
    labels: ['recorder', 'reason'],
  },
  recorderPending: {
    name: 'kube_vitals_recorder_pending_events',
    help: 'Events that were recorded and are not written yet, by reporting controller.',
    type: 'gauge',
    labels: ['recorder'],
  },
  recorderQueue: {
    name: 'kube_vitals_recorder_queued_requests',
    help: 'Requests of recorders that wait or are under way, by reporting controller.',
    type: 'gauge',
    labels: ['recorder'],
  },
};

/** What the code calls a metric. */
export type MetricKey = keyof typeof HEALTH | keyof typeof API | keyof typeof WATCH_CACHE | keyof typeof OWN;

/** Every metric. The order is that of the output. */
export const METRICS: Readonly<Record<MetricKey, MetricDefinition>> = { ...HEALTH, ...API, ...WATCH_CACHE, ...OWN };

/** The names that `/metrics/slis` prints. */
export const SLIS: readonly string[] = Object.values(HEALTH).map(({ name }) => name);
