import { header } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import { splitUrl } from '../http/url.js';

const EXEMPT = ['/readyz', '/livez', '/healthz', '/metrics'] as const;

/**
 * Whether a request is still served while a server drains: one from kube-apiserver, and, as in Kubernetes, any whose
 * path begins like the health endpoints or `/metrics`.
 */
export function passesWhileDraining(request: ApiRequest): boolean {
  const { path } = splitUrl(request.url);
  return (
    EXEMPT.some((prefix) => path.startsWith(prefix)) ||
    header(request, 'user-agent')?.startsWith('kube-apiserver/') === true
  );
}
