import type { FastifyInstance } from 'fastify';
import { toFastifyPlugin } from 'kube-vitals/fastify';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in a Fastify instance, at the root and once more below `/ops`. Register it after plugins whose
 * headers every response should have, such as `@fastify/cors`. Fastify's body parser does not read their bodies, and `app.close()`
 * ends open watches.
 */
export function mountVitals(app: FastifyInstance, { handle }: Vitals): void {
  const vitals = toFastifyPlugin(handle);
  void app.register(vitals);
  void app.register(vitals, { prefix: '/ops' });
}
