import { header } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import { splitUrl } from '../http/url.js';

const EXEMPT = ['/readyz', '/livez', '/healthz', '/metrics'] as const;

/** Whether a request is served while draining: kube-apiserver's, and paths that begin like health or `/metrics`. */
export function passesWhileDraining(request: ApiRequest): boolean {
  const { path } = splitUrl(request.url);
  return (
    EXEMPT.some((prefix) => path.startsWith(prefix)) ||
    header(request, 'user-agent')?.startsWith('kube-apiserver/') === true
  );
}
