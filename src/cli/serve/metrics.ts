import { createImpersonation, type Observe } from '../../index.js';
import { createMetrics, type Metrics, type MetricsRegistry } from '../../metrics.js';
import { loadRegistry, type LabelledRegistry } from '../../metrics/prom-client.js';
import type { StandaloneAccess } from './access.js';

export const METRICS_PATHS: readonly string[] = ['/metrics', '/metrics/slis'];

export type ShareMetrics = (own: LabelledRegistry) => MetricsRegistry;

export async function serverMetrics(
  { authenticate, authorize }: StandaloneAccess,
  observe: Observe,
  share: ShareMetrics = (own) => own,
): Promise<Metrics> {
  const registry = share(await loadRegistry(true));
  return createMetrics({ authenticate, authorize, impersonation: createImpersonation, registry, observe });
}
