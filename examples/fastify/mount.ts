import type { FastifyInstance } from 'fastify';
import { toNodeListener } from 'kube-vitals/node';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in a Fastify instance, at the root and once more below `/ops`. Call it before the routes are
 * added: hooks hold for what comes after them.
 *
 * `onRequest` runs before Fastify reads the body, so its parser never meets ours, and it runs for unknown paths too. Where
 * we answer, `done` is never called and the request ends here; Fastify still sees the answer finish and logs it.
 */
export function mountVitals(app: FastifyInstance, { handle, stopping }: Vitals): void {
  const atRoot = toNodeListener(handle, { signal: stopping });
  const belowOps = toNodeListener(handle, { signal: stopping, basePath: '/ops' });
  app.addHook('onRequest', ({ raw: req }, { raw: res }, done) => {
    atRoot(req, res, () => belowOps(req, res, () => done()));
  });
}
