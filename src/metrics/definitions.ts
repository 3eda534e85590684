import { Metric } from './series.js';

const RESOURCE = ['group', 'version', 'resource'];
const REQUEST = ['verb', ...RESOURCE, 'subresource', 'scope', 'component'];
const WITH_DRY_RUN = ['verb', 'dry_run', ...REQUEST.slice(1)];
const STORE = ['store'];
const STORE_RESOURCE = ['store', 'resource'];

/** The buckets of kube-apiserver for requests and of etcd clients for calls, in seconds. */
const DURATIONS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const SIZES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const counter = (name: string, labels: readonly string[], help: string): Metric =>
  new Metric('counter', name, labels, help);
const gauge = (
  name: string,
  labels: readonly string[],
  help: string,
  aggregator: Metric['aggregator'] = 'sum',
): Metric => new Metric('gauge', name, labels, help, [], aggregator);
const histogram = (name: string, labels: readonly string[], help: string, buckets: readonly number[]): Metric =>
  new Metric('histogram', name, labels, help, buckets);

export class MetricSet {
  // As in every component of Kubernetes at `/metrics/slis`, from `component-base/metrics/prometheus/slis`.
  readonly check: Metric = gauge(
    'kubernetes_healthcheck',
    ['name', 'type'],
    'The last result of a health check: 1 passed, 0 failed.',
    'min',
  );
  readonly checks: Metric = counter(
    'kubernetes_healthchecks_total',
    ['name', 'type', 'status'],
    'The results of health checks, one for each check and probe.',
  );

  // Names, labels and buckets of kube-apiserver, from `staging/src/k8s.io/apiserver/pkg/endpoints/metrics`.
  readonly requests: Metric = counter(
    'apiserver_request_total',
    [...WITH_DRY_RUN, 'code'],
    'Requests of the Event API that got a response, by verb, dry run, group, version, resource, scope and HTTP status code.',
  );
  readonly durations: Metric = histogram(
    'apiserver_request_duration_seconds',
    WITH_DRY_RUN,
    'Seconds from the arrival of a request of the Event API to its response, or to the start of a streamed response.',
    DURATIONS,
  );
  readonly sizes: Metric = histogram(
    'apiserver_response_sizes',
    REQUEST,
    'Bytes of the responses to GET and LIST that are not streamed.',
    SIZES,
  );
  readonly terminations: Metric = counter(
    'apiserver_request_terminations_total',
    [...REQUEST, 'code'],
    'Requests that were refused to protect the server (429) or that took too long (504).',
  );
  readonly inFlight: Metric = gauge(
    'apiserver_current_inflight_requests',
    ['request_kind'],
    'The most requests that were in flight within the last second.',
  );
  readonly longRunning: Metric = gauge('apiserver_longrunning_requests', REQUEST, 'Open watches.');
  readonly watchEvents: Metric = counter('apiserver_watch_events_total', RESOURCE, 'Frames sent to watches.');

  // From `staging/src/k8s.io/apiserver/pkg/storage/cacher/metrics`, with the label `store` in place of `group`,
  // and with more buckets for the waits.
  readonly cacheFills: Metric = counter(
    'apiserver_watch_cache_initializations_total',
    STORE_RESOURCE,
    'How often the watch cache has been filled.',
  );
  readonly cacheReceived: Metric = counter(
    'apiserver_watch_cache_events_received_total',
    STORE_RESOURCE,
    'Changes that the watch cache has received from the feed of the store.',
  );
  readonly cacheRevision: Metric = gauge(
    'apiserver_watch_cache_resource_version',
    STORE_RESOURCE,
    'The revision up to which the watch cache has every change.',
    'min',
  );
  readonly cacheWaits: Metric = histogram(
    'apiserver_watch_cache_read_wait_seconds',
    STORE_RESOURCE,
    'Seconds that reads waited until the watch cache was fresh enough. Reads that did not have to wait are not counted.',
    [0.001, ...DURATIONS.slice(0, 16)],
  );
  readonly cacheReads: Metric = counter(
    'apiserver_watch_cache_consistent_read_total',
    ['store', 'resource', 'success', 'fallback'],
    'Reads that waited for the watch cache, by success and by fallback to the store after waiting too long.',
  );

  // Metrics without a counterpart in Kubernetes.
  readonly changes: Metric = counter(
    'kube_vitals_check_changes_total',
    ['name', 'status'],
    'Changes of the status of health checks, by their new status.',
  );
  readonly watchEnds: Metric = counter('kube_vitals_watch_ends_total', ['reason'], 'Watches that ended, by reason.');
  readonly watchBytes: Metric = counter('kube_vitals_watch_sent_bytes_total', RESOURCE, 'Bytes sent to watches.');
  readonly ringBytes: Metric = gauge(
    'kube_vitals_ring_bytes',
    [],
    'Bytes held by the buffer of recent changes that watches read from.',
  );
  readonly ringChanges: Metric = gauge(
    'kube_vitals_ring_changes',
    [],
    'Changes held by the buffer of recent changes that watches read from.',
  );
  readonly feedChanges: Metric = counter(
    'kube_vitals_feed_changes_total',
    STORE,
    'Changes that the feed of the store delivered.',
  );
  readonly feedBatches: Metric = counter(
    'kube_vitals_feed_batches_total',
    STORE,
    'Batches in which the feed of the store delivered its changes.',
  );
  readonly feedLag: Metric = histogram(
    'kube_vitals_feed_lag_seconds',
    STORE,
    'Seconds from the response to a write of this process until the feed of the store delivered the change.',
    DURATIONS,
  );
  readonly storeCalls: Metric = histogram(
    'kube_vitals_store_call_duration_seconds',
    ['store', 'operation'],
    'Seconds that calls of the store took, by operation. Synchronous calls are not counted.',
    DURATIONS,
  );
  readonly storeFailures: Metric = counter(
    'kube_vitals_store_call_failures_total',
    ['store', 'operation', 'code'],
    'Calls of the store that failed, by the code of the failure.',
  );
  readonly cacheReady: Metric = gauge(
    'kube_vitals_watch_cache_ready',
    STORE,
    'Whether the watch cache serves reads with the latest state: 0 while it is filled or too small, or the store unavailable.',
    'min',
  );
  readonly cacheEvents: Metric = gauge('kube_vitals_watch_cache_events', STORE, 'Events in the watch cache.');
  readonly cacheBytes: Metric = gauge(
    'kube_vitals_watch_cache_bytes',
    STORE,
    'Bytes of memory that the watch cache uses.',
  );
  readonly cacheLag: Metric = gauge(
    'kube_vitals_watch_cache_lag_seconds',
    STORE,
    'Seconds for which the watch cache has been behind a revision that is known to exist.',
    'max',
  );
  readonly expired: Metric = counter(
    'kube_vitals_expired_events_total',
    STORE,
    'Events that were removed because they had expired.',
  );
  readonly errors: Metric = counter(
    'kube_vitals_errors_total',
    ['where'],
    'Unexpected errors, by the place that reported them.',
  );
  readonly recorderEvents: Metric = counter(
    'kube_vitals_recorder_events_total',
    ['recorder', 'state'],
    'Events that were passed to recorders (recorded) and that recorders have written (written), by reporting controller.',
  );
  readonly recorderDrops: Metric = counter(
    'kube_vitals_recorder_drops_total',
    ['recorder', 'reason'],
    'Events that recorders have dropped, by reporting controller and reason.',
  );
  readonly recorderPending: Metric = gauge(
    'kube_vitals_recorder_pending_events',
    ['recorder'],
    'Events that were recorded and are not written yet, by reporting controller.',
  );
  readonly recorderQueue: Metric = gauge(
    'kube_vitals_recorder_queued_requests',
    ['recorder'],
    'Requests of recorders that are queued or in flight, by reporting controller.',
  );
}
