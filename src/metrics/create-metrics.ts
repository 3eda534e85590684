import type { Authenticate, Authorize, CreateImpersonation } from '../auth/contract.js';
import { aHook } from '../auth/hook-kinds.js';
import { systemClock } from '../clock/clock.js';
import { oncePerTurn } from '../clock/once-per-turn.js';
import { asHead } from '../health/adapt-response.js';
import { createPermission, type AskPermission } from '../health/permission.js';
import { refuseListener, type ApiHandler } from '../http/handler.js';
import { chain } from '../http/promise.js';
import type { ApiRequest } from '../http/request.js';
import { textResponse, type ApiResponse } from '../http/response.js';
import { splitUrl } from '../http/url.js';
import { createNotifier, type Observe } from '../observe/observation.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aBoolean, aFunction, anObjectWith } from '../options/rules.js';
import { NOT_CACHED } from '../responses/fixed-responses.js';
import { MetricSet } from './definitions.js';
import { loadRegistry, type MetricsRegistry } from './prom-client.js';
import { createObservationRecorder } from './record.js';

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /**
   * An existing `Registry` of prom-client, such as `register`: the metrics are added to it, and `/metrics` returns all
   * of its metrics. Its `clear()` takes them away for good: create the metrics again after it. Default: a separate
   * registry, created with prom-client at the first request for `/metrics`.
   */
  readonly registry?: MetricsRegistry | undefined;
  /**
   * Adds prom-client's default metrics of the process (CPU, memory, event loop, garbage collection) to the separate
   * registry. Default: false. A service that passes a registry adds them itself.
   */
  readonly processMetrics?: boolean | undefined;
  /**
   * Receives every observation, for logs. Default: unexpected errors are emitted as process warnings, see
   * {@link Observe}.
   */
  readonly observe?: Observe | undefined;
  /**
   * Determines the caller of a request for metrics. Pass it together with `authorize`; without both, everybody may read
   * metrics.
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Decides who may read metrics. As in kube-apiserver, it receives the verb and the path of the request: `{ verb:
   * 'get', path: '/metrics' }`.
   */
  readonly authorize?: Authorize | undefined;
  /**
   * Lets callers impersonate other users where `authorize` allows it: see `impersonation` of `createEvents`. Set it to
   * `createImpersonation` of `kube-vitals`. Default: with hooks, a request with any `Impersonate-*` header gets 403.
   */
  readonly impersonation?: CreateImpersonation | undefined;
}

/** Metrics of one service. All functions may be detached. */
export interface Metrics {
  /**
   * Counts observations, and forwards them to the `observe` option. Pass it to `createHealth`, and pass
   * `health.observe` to everything else.
   */
  readonly observe: Observe;
  /**
   * Handles `GET /metrics`, and `GET /metrics/slis` with the results of health checks only. Returns `undefined` for
   * other paths.
   */
  readonly handle: ApiHandler;
}

const rules = (): OptionRules<MetricsOptions> => ({
  registry: anObjectWith(['registerMetric', 'metrics', 'getSingleMetricAsString'], 'a Registry of prom-client'),
  processMetrics: aBoolean,
  observe: aFunction,
  authenticate: aHook('authenticate'),
  authorize: aHook('authorize'),
  impersonation: aFunction,
});

/**
 * Creates metrics in Prometheus' format from the observations of the library, with kube-apiserver's names where it has
 * the same metric, so that dashboards and alerts for Kubernetes work.
 *
 * ```ts
 * const metrics = createMetrics();
 * const health = createHealth({ observe: metrics.observe });
 * const events = createEvents({ …, observe: health.observe });
 * createServer(toNodeListener(firstOf(health.handle, events.handle, metrics.handle)));
 * ```
 *
 * Needs prom-client (15 or later) unless a registry is passed; it is loaded at the first request for `/metrics`. Labels
 * never contain values that clients send, and a metric has at most 1,000 series and one more named `other`.
 * Process-wide state is not changed: prom-client's global registry is used only if the service passes it.
 *
 * @throws TypeError that lists every fault in the options, or names a metric that the registry has already
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkOptions('createMetrics', options, rules(), ({ authenticate, authorize, registry, processMetrics }) => [
    (authenticate === undefined) !== (authorize === undefined) &&
      'authenticate and authorize go together: give both, or neither',
    registry !== undefined &&
      processMetrics === true &&
      'processMetrics applies only to the default registry: call collectDefaultMetrics for yours',
  ]);
  const { authenticate, authorize, impersonation, processMetrics = false } = options;
  const metrics = new MetricSet();
  // prom-client changes the names of counters when it prints OpenMetrics, and finds them by those they had.
  const sliNames = [metrics.check, metrics.checks].map(({ name }) => name);
  const record = createObservationRecorder(metrics);
  const passOn = options.observe ?? createNotifier(undefined);
  const observe: Observe = (observation) => {
    record(observation);
    return passOn(observation);
  };
  const permission: AskPermission | undefined =
    authenticate && authorize
      ? createPermission(
          { authenticate, authorize, impersonation, clock: systemClock },
          createNotifier(observe),
          'metrics',
        )
      : undefined;

  const register = (registry: MetricsRegistry): MetricsRegistry => {
    const all = Object.values(metrics) as readonly { readonly name: string }[];
    const taken = all.find(({ name }) => registry.getSingleMetric?.(name) !== undefined);
    if (taken !== undefined) {
      throw new TypeError(
        `createMetrics: the registry already has a metric ${taken.name}: call createMetrics once for each registry`,
      );
    }
    for (const metric of all) registry.registerMetric(metric as never);
    return registry;
  };
  let registered = options.registry && Promise.resolve(register(options.registry));

  // Printing takes milliseconds, and more with many connections.
  const print = oncePerTurn(async (path: string): Promise<ApiResponse> => {
    registered ??= loadRegistry(processMetrics).then(register);
    const registry = await registered.catch((error: unknown) => {
      registered = undefined;
      throw error;
    });
    const { contentType } = registry;
    let body: string;
    if (path === '/metrics') body = await registry.metrics();
    else {
      const isOpen = contentType.includes('openmetrics');
      // As prom-client's `metrics` does: it adds the ending when it prints.
      if (isOpen) metrics.checks.name = metrics.checks.name.replace(/_total$/, '');
      const texts = await Promise.all(sliNames.map((name) => registry.getSingleMetricAsString(name)));
      body = `${texts.join('\n')}\n${isOpen ? '# EOF\n' : ''}`;
    }
    return { status: 200, headers: { 'content-type': contentType, ...NOT_CACHED }, body };
  });

  return {
    observe,
    handle(request: ApiRequest, given?: unknown) {
      refuseListener(given);
      const { path } = splitUrl(request.url);
      if (path !== '/metrics' && path !== '/metrics/slis') return undefined;
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return textResponse(405, 'method not allowed', { allow: 'GET, HEAD', ...NOT_CACHED });
      }
      const response = chain(permission?.(request, path), (asked) =>
        asked === undefined || asked.granted ? print(path) : asked.refusal,
      );
      return request.method === 'HEAD' ? chain(response, asHead) : response;
    },
  };
}
