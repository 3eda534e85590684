import { createImpersonation, type Observe } from '../../index.js';
import { createMetrics, type Metrics, type MetricsRegistry } from '../../metrics.js';
import type { StandaloneAccess } from './access.js';
import type { LabelledRegistry } from './worker-metrics.js';

type PromClient = typeof import('prom-client');

export const METRICS_PATHS: readonly string[] = ['/metrics', '/metrics/slis'];

/** Creates the registry that is printed from the registry of this process. */
export type ShareMetrics = (own: LabelledRegistry) => MetricsRegistry;

/** The metrics of the server and of its process, for callers who may `get` their path. */
export async function serverMetrics(
  { authenticate, authorize }: StandaloneAccess,
  observe: Observe,
  share: ShareMetrics = (own) => own,
): Promise<Metrics> {
  const loaded: PromClient & { readonly default?: PromClient } = await import('prom-client');
  // When bundled, a CommonJS module has only a default export.
  const { Registry, collectDefaultMetrics } = loaded.default ?? loaded;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return createMetrics({
    authenticate,
    authorize,
    impersonation: createImpersonation,
    registry: share(registry),
    observe,
  });
}
