import type { Hono } from 'hono';
import { toHonoMiddleware } from 'kube-vitals/hono';
import type { Vitals } from '../shop/vitals.js';

/** Mounts health and events in a Hono application, at the root and once more below `/ops`. */
export function mountVitals(app: Hono, { handle }: Vitals): void {
  app.use(toHonoMiddleware(handle));
  app.use('/ops/*', toHonoMiddleware(handle, { basePath: '/ops' }));
}
