import type Koa from 'koa';
import { toKoaMiddleware } from 'kube-vitals/koa';
import type { Vitals } from '../shop/vitals.js';

/**
 * Mounts health and events in a Koa application, at the root and once more below `/ops`. Middleware around them goes on when
 * our response has been sent.
 */
export function mountVitals(app: Koa, { handle }: Vitals): void {
  app.use(toKoaMiddleware(handle));
  app.use(toKoaMiddleware(handle, { basePath: '/ops' }));
}
