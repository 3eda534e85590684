import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { toFetchHandler, type FetchHandler } from 'kube-vitals/fetch';
import type { Vitals } from '../shop/vitals.js';

/** Mounts health and events in a Hono application, at the root and once more below `/ops`. */
export function mountVitals(app: Hono, { handle }: Vitals): void {
  app.use(middleware(toFetchHandler(handle)));
  app.use('/ops/*', middleware(toFetchHandler(handle, { basePath: '/ops' })));
}

function middleware(vitals: FetchHandler): MiddlewareHandler {
  return async (c, next) => (await vitals(c.req.raw, { remoteAddress: addressOf(c) })) ?? next();
}

/** A fetch Request knows no address; without a socket (`app.request()` in tests) there is none. */
function addressOf(c: Context): string | undefined {
  return c.env === undefined || !('incoming' in c.env) ? undefined : getConnInfo(c).remote.address;
}
