import type { Observation, RequestObservation, WatchIdentity } from '../observe/observation.js';
import { METRICS, type MetricKey } from './definitions.js';
import { createMetric, type Metric, type Series } from './series.js';

/** The metrics of one service. */
export type Metrics = Readonly<Record<MetricKey, Metric>>;

/** Makes all metrics, empty. */
export function createSeries(): Metrics {
  return Object.fromEntries(
    Object.entries(METRICS).map(([key, definition]) => [key, createMetric(definition)]),
  ) as Metrics;
}

/** The verbs of kube-apiserver's label. Clients may send any method: others are `other`, as there. */
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

/** What requests of one kind add to, with what makes the kind. */
interface RequestSeries {
  readonly request: RequestObservation;
  readonly count: Series;
  readonly duration: Series;
  readonly size: Series | undefined;
  readonly termination: Series | undefined;
}

function isForgotten({ count, duration, size, termination }: RequestSeries): boolean {
  return count.forgotten || duration.forgotten || size?.forgotten === true || termination?.forgotten === true;
}

type ProbeObservation = Extract<Observation, { readonly type: 'health.probed' }>;

/** What probes with the same results add to. */
interface ProbeSeries {
  readonly checks: ProbeObservation['checks'];
  readonly states: readonly Series[];
  readonly results: readonly Series[];
}

/** A registry forgets all series of a metric, or none. */
const areForgotten = (series: readonly Series[]): boolean => series[0]?.forgotten === true;

/** Kinds of requests that are found without making a key: a service has some dozens. */
const MOST_KINDS = 256;

/** Makes the function that adds observations to metrics. */
export function createObservationRecorder(metrics: Metrics): (observation: Observation) => void {
  /** Stores whose watch cache is being filled. */
  const filling = new Set<string>();
  /** The last used first. */
  const kinds: RequestSeries[] = [];

  function seriesOf(request: RequestObservation): RequestSeries {
    const { group, version, resource, scope, dryRun } = request;
    const verb = VERBS.get(request.verb) ?? 'other';
    const code = String(request.status);
    const labels = [group, version, resource, '', scope, COMPONENT];
    return {
      request,
      count: metrics.requests.of(verb, dryRun, ...labels, code),
      duration: metrics.durations.of(verb, dryRun, ...labels),
      size: verb === 'GET' || verb === 'LIST' ? metrics.sizes.of(verb, ...labels) : undefined,
      termination:
        request.status === 429 || request.status === 504 ? metrics.terminations.of(verb, ...labels, code) : undefined,
    };
  }

  function kindOf(request: RequestObservation): RequestSeries {
    for (let index = 0; index < kinds.length; index++) {
      const kind = kinds[index] as RequestSeries;
      if (!isSameKind(kind.request, request)) continue;
      if (isForgotten(kind)) {
        kinds.splice(index, 1);
        break;
      }
      if (index > 0) {
        kinds[index] = kinds[0] as RequestSeries;
        kinds[0] = kind;
      }
      return kind;
    }
    const made = seriesOf(request);
    if (kinds.length >= MOST_KINDS) kinds.length = MOST_KINDS - 1;
    kinds.unshift(made);
    return made;
  }

  function recordRequest(request: RequestObservation): void {
    const kind = kindOf(request);
    kind.count.value += 1;
    kind.duration.observe(request.durationMs / 1000);
    if (kind.size !== undefined && request.responseBytes !== undefined) kind.size.observe(request.responseBytes);
    if (kind.termination !== undefined) kind.termination.value += 1;
  }

  /** The last results of each endpoint, and their series: a probe whose results are the same array adds to these. */
  const probes = new Map<ProbeObservation['root'], ProbeSeries>();

  function seriesOfProbe({ root, checks }: ProbeObservation): ProbeSeries {
    const states = checks.map(({ name, status }) => {
      const series = metrics.check.of(name, root);
      series.value = status === 'failed' ? 0 : 1;
      return series;
    });
    const results = checks.map(({ name, status }) =>
      metrics.checks.of(name, root, status === 'failed' ? 'error' : 'success'),
    );
    const made = { checks, states, results };
    probes.set(root, made);
    return made;
  }

  function recordProbe(probe: ProbeObservation): void {
    const last = probes.get(probe.root);
    const isKnown = last?.checks === probe.checks && !areForgotten(last.states) && !areForgotten(last.results);
    for (const series of (isKnown ? last : seriesOfProbe(probe)).results) series.value += 1;
  }

  const openWatches = ({ group, version, scope }: WatchIdentity): Series =>
    metrics.longRunning.of('WATCH', group, version, 'events', '', scope, COMPONENT);

  return (observation) => {
    switch (observation.type) {
      case 'request':
        recordRequest(observation);
        return;
      case 'health.probed':
        recordProbe(observation);
        return;
      case 'health.changed':
        metrics.changes.of(observation.check, observation.status).value += 1;
        return;
      case 'watch.started':
        openWatches(observation).value += 1;
        return;
      case 'watch.ended':
        openWatches(observation).value -= 1;
        metrics.watchEnds.of(observation.reason).value += 1;
        return;
      case 'activity':
        metrics.inFlight.of('readOnly').value = observation.inFlight.read;
        metrics.inFlight.of('mutating').value = observation.inFlight.write;
        metrics.ringBytes.of().value = observation.ring.bytes;
        metrics.ringChanges.of().value = observation.ring.changes;
        for (const { group, version, frames, bytes } of observation.sent) {
          metrics.watchEvents.of(group, version, 'events').value += frames;
          metrics.watchBytes.of(group, version, 'events').value += bytes;
        }
        return;
      case 'store': {
        const { store, operation, outcome, durationMs } = observation;
        metrics.storeCalls.of(store, operation).observe(durationMs / 1000);
        if (outcome !== 'ok') metrics.storeFailures.of(store, operation, outcome).value += 1;
        return;
      }
      case 'feed':
        metrics.feedChanges.of(observation.store).value += observation.changes;
        if (observation.lagMs !== undefined) metrics.feedLag.of(observation.store).observe(observation.lagMs / 1000);
        return;
      case 'cache.changed': {
        const { store, state, events, bytes } = observation;
        if (state === 'filling') filling.add(store);
        else if (filling.delete(store) && state === 'ready') metrics.cacheFills.of(store, 'events').value += 1;
        metrics.cacheReady.of(store).value = state === 'ready' ? 1 : 0;
        metrics.cacheEvents.of(store).value = events;
        metrics.cacheBytes.of(store).value = bytes;
        return;
      }
      case 'cache.activity': {
        const { store, changes, events, bytes, lagMs, revision } = observation;
        metrics.cacheReceived.of(store, 'events').value += changes;
        if (revision !== undefined) metrics.cacheRevision.of(store, 'events').value = revision;
        metrics.cacheEvents.of(store).value = events;
        metrics.cacheBytes.of(store).value = bytes;
        metrics.cacheLag.of(store).value = lagMs / 1000;
        return;
      }
      case 'cache.waited': {
        const { store, durationMs, outcome } = observation;
        metrics.cacheWaits.of(store, 'events').observe(durationMs / 1000);
        const success = String(outcome !== 'failed');
        metrics.cacheReads.of(store, 'events', success, String(outcome === 'store')).value += 1;
        return;
      }
      case 'expired':
        metrics.expired.of(observation.store).value += observation.removed;
        return;
      case 'recorder.activity': {
        const { recorder, recorded, written, pending, queued } = observation;
        metrics.recorderEvents.of(recorder, 'recorded').value += recorded;
        metrics.recorderEvents.of(recorder, 'written').value += written;
        metrics.recorderPending.of(recorder).value = pending;
        metrics.recorderQueue.of(recorder).value = queued;
        return;
      }
      case 'recorder.dropped':
        metrics.recorderDrops.of(observation.recorder, observation.reason).value += observation.count;
        return;
      case 'error':
        metrics.errors.of(observation.where).value += 1;
        return;
      case 'health.failed':
      case 'recovered':
    }
  };
}

function isSameKind(one: RequestObservation, other: RequestObservation): boolean {
  return (
    one.status === other.status &&
    one.verb === other.verb &&
    one.scope === other.scope &&
    one.version === other.version &&
    one.group === other.group &&
    one.resource === other.resource &&
    one.dryRun === other.dryRun
  );
}
