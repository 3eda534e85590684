import type { Authorize } from 'kube-vitals';
import type { Transport } from 'kube-vitals/client';

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const FRONT_PROXY = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

/** How kube-apiserver proves that a request comes from it. */
export interface FrontProxy {
  /** The authority of its client certificate. */
  readonly ca: string;
  /** The common names of the certificate; none: any. */
  readonly names: readonly string[];
}

/** Reads from the cluster how its kube-apiserver proves that a request comes from it. */
export async function readFrontProxy(transport: Transport): Promise<FrontProxy> {
  const { data } = (await send(transport, 'GET', FRONT_PROXY)) as { data: Record<string, string> };
  const { 'requestheader-client-ca-file': ca, 'requestheader-allowed-names': names = '[]' } = data;
  if (ca === undefined) throw new Error('the aggregation layer of this cluster is not configured');
  return { ca, names: JSON.parse(names) as string[] };
}

/** Asks the cluster for each request: its RBAC rules count for the API group of the service, too. */
export function rulesOfCluster(transport: Transport): Authorize {
  return async ({ name: user, ...caller }, attributes) => {
    const what = 'path' in attributes ? { nonResourceAttributes: attributes } : { resourceAttributes: attributes };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, ...caller, ...what },
    };
    const { status } = (await send(transport, 'POST', REVIEWS, review)) as { status: { allowed: boolean } };
    return { allowed: status.allowed };
  };
}

async function send(transport: Transport, method: string, url: string, sent?: unknown): Promise<unknown> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const response = await transport({ method, url, headers, body: () => JSON.stringify(sent) });
  const text = await new Response(response?.body ?? null).text();
  if (response === undefined || response.status >= 300) throw new Error(`${method} ${url}: ${text}`);
  return JSON.parse(text);
}
