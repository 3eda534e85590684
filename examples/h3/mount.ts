import { fromNodeHandler, type H3 } from 'h3';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in an h3 application on Node, at the root and once more below `/ops`.
 *
 * Elsewhere use `toFetchHandler`. It works on Node as well, but does not see connections there.
 */
export function mountVitals(app: H3, { handle }: Vitals): void {
  app.use(fromNodeHandler(toNodeListener(handle)));
  app.use(fromNodeHandler(toNodeListener(handle, { basePath: '/ops' })));
}
