import type { ApiHandler } from '../http/handler.js';
import { header } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import { splitUrl } from '../http/url.js';
import { shuttingDownResponse } from '../responses/fixed-responses.js';

const EXEMPT = ['/readyz', '/livez', '/healthz', '/metrics'] as const;

/**
 * Wraps a handler for the end of a shutdown: while open connections drain, new requests on them get 503, so that
 * clients use another server. Paths that begin like the health endpoints or `/metrics` still pass, as in Kubernetes.
 */
export function createDrainGate(handle: ApiHandler) {
  let draining = false;
  return {
    handle(request: ApiRequest): ReturnType<ApiHandler> {
      if (!draining || passesWhileDraining(request)) return handle(request);
      return shuttingDownResponse();
    },
    startDraining(): void {
      draining = true;
    },
  };
}

/** Whether a request is still served while a server drains: probes, metrics, and kube-apiserver's own requests. */
export function passesWhileDraining(request: ApiRequest): boolean {
  const { path } = splitUrl(request.url);
  return (
    EXEMPT.some((prefix) => path.startsWith(prefix)) ||
    header(request, 'user-agent')?.startsWith('kube-apiserver/') === true
  );
}
