import type { Observation, RequestObservation, WatchIdentity } from '../observe/observation.js';
import type { MetricSet } from './definitions.js';
import type { Series } from './series.js';

/** The values of the label `verb`, as in kube-apiserver: clients may send any method, and unknown ones are `other`. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['post', 'POST'],
  ['update', 'PUT'],
  ['put', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
  ['head', 'HEAD'],
  ['options', 'OPTIONS'],
]);

const COMPONENT = 'apiserver';

interface RequestSeries {
  readonly count: Series;
  readonly duration: Series;
  readonly size: Series | undefined;
  readonly termination: Series | undefined;
}

type Observed<Type extends Observation['type']> = Extract<Observation, { readonly type: Type }>;
type ProbeObservation = Observed<'health.probed'>;

interface ProbeSeries {
  readonly checks: ProbeObservation['checks'];
  readonly states: readonly Series[];
  readonly results: readonly Series[];
}

/** Removed checks that are remembered. */
const MAX_REMOVED = 100;

export function createObservationRecorder(metrics: MetricSet): (observation: Observation) => void {
  /** Stores whose watch cache is being filled. */
  const filling = new Set<string>();
  /** Series by labels, of which a service has some dozens of combinations: one look-up, not one for each metric. */
  const requests = new Map<string, RequestSeries>();
  /** The last request of each verb; the next usually has the same labels, and building the key takes 2 % of a get. */
  const latest = new Map<string, { readonly request: RequestObservation; readonly series: RequestSeries }>();
  /** The last results of each endpoint: a probe whose results are the same array updates the same series. */
  const probes = new Map<ProbeObservation['root'], ProbeSeries>();
  /** The last checks that were removed: a probe that waited for one reports it once more. */
  const removed = new Set<string>();

  function seriesOf(request: RequestObservation): RequestSeries {
    const verb = request.isApply ? 'APPLY' : (VERBS.get(request.verb) ?? 'other');
    const last = latest.get(verb);
    if (last !== undefined && haveSameLabels(last.request, request)) return last.series;
    const { status, group, version, resource, scope, dryRun } = request;
    const key = `${verb} ${status} ${scope} ${dryRun} ${group} ${version} ${resource}`;
    let series = requests.get(key);
    if (series === undefined) {
      const code = String(status);
      const labels = [group, version, resource, '', scope, COMPONENT];
      series = {
        count: metrics.requests.of(verb, dryRun, ...labels, code),
        duration: metrics.durations.of(verb, dryRun, ...labels),
        size: verb === 'GET' || verb === 'LIST' ? metrics.sizes.of(verb, ...labels) : undefined,
        termination: status === 429 || status === 504 ? metrics.terminations.of(verb, ...labels, code) : undefined,
      };
      requests.set(key, series);
    }
    latest.set(verb, { request, series });
    return series;
  }

  function recordRequest(request: RequestObservation): void {
    const { count, duration, size, termination } = seriesOf(request);
    count.add(1);
    duration.observe(request.durationMs / 1000);
    if (request.responseBytes !== undefined) size?.observe(request.responseBytes);
    termination?.add(1);
  }

  /** Otherwise an alert on its last result would never end, and checks that come and go would use up the series. */
  function forgetCheck(...labels: readonly string[]): void {
    metrics.check.remove(...labels);
    metrics.checks.remove(...labels);
  }

  function recordProbe({ root, checks }: ProbeObservation): void {
    let series = probes.get(root);
    if (series?.checks !== checks) {
      for (const { name } of series?.checks ?? []) {
        if (removed.has(name) && !checks.some((check) => check.name === name)) forgetCheck(name, root);
      }
      const states = checks.map(({ name }) => metrics.check.of(name, root));
      const results = checks.map(({ name, status }) =>
        metrics.checks.of(name, root, status === 'failed' ? 'error' : 'success'),
      );
      series = { checks, states, results };
      probes.set(root, series);
    }
    series.states.forEach((state, index) => state.set(checks[index]?.status === 'failed' ? 0 : 1));
    for (const result of series.results) result.add(1);
  }

  const openWatches = ({ group, version, scope }: WatchIdentity): Series =>
    metrics.longRunning.of('WATCH', group, version, 'events', '', scope, COMPONENT);

  const recorders: { readonly [Type in Observation['type']]: (observation: Observed<Type>) => void } = {
    request: recordRequest,
    'health.probed': recordProbe,
    'health.changed': ({ check, status }) => metrics.changes.of(check, status).add(1),
    'health.failed': () => undefined,
    'health.removed'({ check }) {
      removed.add(check);
      if (removed.size > MAX_REMOVED) removed.delete([...removed][0] as string);
      forgetCheck(check);
      metrics.changes.remove(check);
      // Copied, so that the next probe looks for its series again: another health object may have a check of this name.
      for (const [root, series] of probes) probes.set(root, { ...series, checks: [...series.checks] });
    },
    'watch.started': (watch) => openWatches(watch).add(1),
    'watch.ended'(watch) {
      openWatches(watch).add(-1);
      metrics.watchEnds.of(watch.reason).add(1);
    },
    activity({ inFlight, ring, sent }) {
      metrics.inFlight.of('readOnly').set(inFlight.read);
      metrics.inFlight.of('mutating').set(inFlight.write);
      metrics.ringBytes.of().set(ring.bytes);
      metrics.ringChanges.of().set(ring.changes);
      for (const { group, version, frames, bytes } of sent) {
        metrics.watchEvents.of(group, version, 'events').add(frames);
        metrics.watchBytes.of(group, version, 'events').add(bytes);
      }
    },
    store({ store, operation, outcome, durationMs }) {
      metrics.storeCalls.of(store, operation).observe(durationMs / 1000);
      if (outcome !== 'ok') metrics.storeFailures.of(store, operation, outcome).add(1);
    },
    feed({ store, changes, lagMs }) {
      metrics.feedChanges.of(store).add(changes);
      metrics.feedBatches.of(store).add(1);
      if (lagMs !== undefined) metrics.feedLag.of(store).observe(lagMs / 1000);
    },
    'cache.changed'({ store, state, events, bytes }) {
      if (state === 'filling') filling.add(store);
      else if (filling.delete(store) && state === 'ready') metrics.cacheFills.of(store, 'events').add(1);
      metrics.cacheReady.of(store).set(state === 'ready' ? 1 : 0);
      metrics.cacheEvents.of(store).set(events);
      metrics.cacheBytes.of(store).set(bytes);
    },
    'cache.activity'({ store, changes, events, bytes, lagMs, revision }) {
      metrics.cacheReceived.of(store, 'events').add(changes);
      if (revision !== undefined) metrics.cacheRevision.of(store, 'events').set(revision);
      metrics.cacheEvents.of(store).set(events);
      metrics.cacheBytes.of(store).set(bytes);
      metrics.cacheLag.of(store).set(lagMs / 1000);
    },
    'cache.waited'({ store, durationMs, outcome }) {
      metrics.cacheWaits.of(store, 'events').observe(durationMs / 1000);
      const success = String(outcome !== 'failed');
      metrics.cacheReads.of(store, 'events', success, String(outcome === 'store')).add(1);
    },
    expired: ({ store, removed: count }) => metrics.expired.of(store).add(count),
    'recorder.activity'({ recorder, recorded, written, pending, queued }) {
      metrics.recorderEvents.of(recorder, 'recorded').add(recorded);
      metrics.recorderEvents.of(recorder, 'written').add(written);
      metrics.recorderPending.of(recorder).set(pending);
      metrics.recorderQueue.of(recorder).set(queued);
    },
    'recorder.dropped': ({ recorder, reason, count }) => metrics.recorderDrops.of(recorder, reason).add(count),
    error: ({ where }) => metrics.errors.of(where).add(1),
    recovered: () => undefined,
  };
  return (observation) => {
    const recorder: ((observation: never) => void) | undefined = recorders[observation.type];
    // A later version of this package, of which a service may have both, has further types.
    recorder?.(observation as never);
  };
}

function haveSameLabels(one: RequestObservation, other: RequestObservation): boolean {
  return (
    one.status === other.status &&
    one.scope === other.scope &&
    one.version === other.version &&
    one.group === other.group &&
    one.resource === other.resource &&
    one.dryRun === other.dryRun
  );
}
