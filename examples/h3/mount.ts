import { fromNodeHandler, type H3 } from 'h3';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in an h3 application on Node, at the root and once more below `/ops`.
 *
 * Elsewhere use `toFetchHandler`. It works on Node as well, but h3's server there sends the headers of a watch with its
 * first event.
 */
export function mountVitals(app: H3, { handle }: Vitals): void {
  app.use(fromNodeHandler(toNodeListener(handle)));
  app.use(fromNodeHandler(toNodeListener(handle, { basePath: '/ops' })));
}
