import { header } from '../../http/headers.js';
import { groupVersionPath, type GroupVersion } from '../decode/type-meta.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import type { Query } from '../../http/url.js';
import { negotiationInputs, type NegotiationInputs } from '../representation/choice.js';
import { routerAccepts } from '../representation/negotiate.js';
import { negotiateConverted, respondDocument, respondFailure, type WriteDocument } from '../representation/respond.js';
import { OBJECT_MEDIA_TYPES } from '../representation/media-types.js';
import { methodNotAllowed } from '../status/failures.js';
import {
  AGGREGATED,
  aggregatedDocument,
  apiVersions,
  groupDocument,
  groupList,
  resourceList,
  type DiscoveryResource,
  cachedDocument,
  type CachedDocument,
} from './documents.js';
import { encodeUtf8 } from '../../json/utf8.js';

/** Serves the discovery paths; undefined for any other path. Of the query only `pretty` is read. */
export type Discovery = (
  request: ApiRequest,
  path: string,
  query: Query,
) => ApiResponse | undefined | Promise<ApiResponse>;

/** The documents of one path. `plain` may name the host of the request; only the two roots have `aggregated`. */
interface Page {
  readonly plain: CachedDocument | ((address: string) => object);
  readonly aggregated?: CachedDocument;
}

/**
 * Serves `/api`, `/apis` and the paths below them, also with a slash at the end, to callers that are authenticated. The
 * two roots respond in the aggregated form (`apidiscovery.k8s.io/v2`) if Accept names it.
 *
 * @param versions the first is the one in which objects are stored; at most one per group
 */
export function createDiscovery(
  resource: DiscoveryResource,
  versions: readonly [GroupVersion, ...GroupVersion[]],
): Discovery {
  const pages = createPages(resource, versions);
  return (request, path, query) => {
    const page = pages.get(path.endsWith('/') ? path.slice(0, -1) : path);
    if (!page) return undefined;
    const inputs = negotiationInputs(request.headers, query);
    const refused = request.method === 'GET' ? routerAccepts(inputs.accept, OBJECT_MEDIA_TYPES) : methodNotAllowed();
    if (refused) return respondFailure(refused.status, inputs);
    const converted = page.aggregated && negotiateConverted(inputs, AGGREGATED);
    if (page.aggregated && converted) return respondAggregated(page.aggregated, converted, request);
    return respondPlain(page.plain, inputs, header(request, 'host') ?? '');
  };
}

function createPages(
  resource: DiscoveryResource,
  versions: readonly [GroupVersion, ...GroupVersion[]],
): ReadonlyMap<string, Page> {
  const core = versions.filter(({ group }) => group === '');
  const groups = versions.filter(({ group }) => group !== '');
  const aggregated = (served: readonly GroupVersion[]): CachedDocument =>
    cachedDocument(() => aggregatedDocument(served, resource));
  const pages = new Map<string, Page>([
    ['/api', { plain: (address) => apiVersions(core, address), aggregated: aggregated(core) }],
    ['/apis', { plain: (address) => groupList(groups, address), aggregated: aggregated(groups) }],
  ]);
  for (const served of versions) {
    const { group } = served;
    if (group !== '') pages.set(`/apis/${group}`, { plain: cachedDocument(() => groupDocument(served)) });
    pages.set(groupVersionPath(served), { plain: cachedDocument(() => resourceList(served, resource, versions[0])) });
  }
  return pages;
}

async function respondPlain(plain: Page['plain'], inputs: NegotiationInputs, address: string): Promise<ApiResponse> {
  const json = typeof plain === 'function' ? encodeUtf8(JSON.stringify(plain(address))) : await plain.bytes();
  return respondDocument(json, inputs);
}

/** Aggregated documents may be cached and are revalidated with their entity tag. None is large enough to be compressed. */
async function respondAggregated(
  document: CachedDocument,
  write: WriteDocument,
  request: ApiRequest,
): Promise<ApiResponse> {
  const etag = await document.tag();
  const headers = { 'cache-control': 'public', etag, vary: 'Accept' };
  if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: null };
  const response = await write(await document.bytes());
  return { ...response, headers: { ...response.headers, ...headers } };
}
