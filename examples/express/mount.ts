import type { Express } from 'express';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in an Express application, at the root and once more below `/ops`.
 *
 * Behind `express.json()` the bridge takes the body from `req.body`: it works, but the parser has already dropped
 * duplicate fields and refuses more than 100 kB and malformed JSON with a response of its own. Mounted before the parser,
 * clients get the same responses as from kube-apiserver.
 */
export function mountVitals(app: Express, { handle }: Vitals): void {
  app.use(toNodeListener(handle));
  app.use('/ops', toNodeListener(handle));
}
