import { header } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { throwFaults } from '../../options/check-options.js';
import { negotiationInputs, type NegotiationInputs } from '../representation/choice.js';
import { routerAccepts } from '../representation/negotiate.js';
import {
  negotiateConverted,
  negotiateDocument,
  respondFailure,
  type WriteDocument,
} from '../representation/respond.js';
import { OBJECT_MEDIA_TYPES } from '../representation/media-types.js';
import { methodNotAllowed } from '../status/failures.js';
import { isStatusFailure } from '../status/status-failure.js';
import { AGGREGATED, aggregatedDocument, apiVersions, groupDocument, groupList, resourceList } from './documents.js';
import type { DiscoveryGroup, DiscoveryOptions } from './contract.js';
import { keptDocument, type KeptDocument } from './kept-document.js';

/**
 * Answers the discovery paths, or `undefined` for any other path.
 *
 * @param path the request's decoded path, without query
 * @param query decoded query parameters; only `pretty` is read
 */
export type Discovery = (
  request: ApiRequest,
  path: string,
  query?: ReadonlyMap<string, readonly string[]>,
) => ApiResponse | undefined | Promise<ApiResponse>;

const encoder = new TextEncoder();
const NO_QUERY: ReadonlyMap<string, readonly string[]> = new Map();

/** The documents of one path: a fixed one or one that names the server, and on the two roots an aggregated one. */
interface Page {
  readonly plain: KeptDocument | ((address: string) => object);
  readonly aggregated?: KeptDocument;
}

/**
 * Discovery of API groups, versions and resources: `/api`, `/apis`, `/apis/GROUP`, `/apis/GROUP/VERSION` and, with a core
 * group, `/api/VERSION`, each also with a slash at the end. The two roots answer in the aggregated form
 * (`apidiscovery.k8s.io/v2`) if it is named in Accept. Authentication happens before.
 *
 * @throws TypeError listing everything that is wrong with the options
 */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const pages = createPages(options);
  return (request, path, query = NO_QUERY) => {
    const page = pages.get(path.endsWith('/') ? path.slice(0, -1) : path);
    if (!page) return undefined;
    const inputs = negotiationInputs(request.headers, query);
    const refused = request.method === 'GET' ? routerAccepts(inputs.accept, OBJECT_MEDIA_TYPES) : methodNotAllowed();
    if (refused) return respondFailure(refused.status, inputs);
    const converted = page.aggregated && negotiateConverted(inputs, AGGREGATED);
    if (page.aggregated && converted) return answerAggregated(page.aggregated, converted, request);
    return answerPlain(page.plain, inputs, options.serverAddress ?? header(request, 'host') ?? '');
  };
}

function createPages(options: DiscoveryOptions): ReadonlyMap<string, Page> {
  const { groups, core } = options;
  checkGroups(groups, core ? [core] : []);
  const coreGroup: readonly DiscoveryGroup[] = core ? [{ name: '', versions: [core] }] : [];
  const pages = new Map<string, Page>([
    ['/api', rootPage((address) => apiVersions(core, address), coreGroup)],
    ['/apis', rootPage((address) => groupList(groups, address), groups)],
  ]);
  if (core) pages.set(`/api/${core.version}`, { plain: keptDocument(() => resourceList('', core)) });
  for (const group of groups) {
    pages.set(`/apis/${group.name}`, { plain: keptDocument(() => groupDocument(group)) });
    for (const version of group.versions) {
      const path = `/apis/${group.name}/${version.version}`;
      pages.set(path, { plain: keptDocument(() => resourceList(group.name, version)) });
    }
  }
  return pages;
}

const rootPage = (plain: Page['plain'], groups: readonly DiscoveryGroup[]): Page => ({
  plain,
  aggregated: keptDocument(() => aggregatedDocument(groups)),
});

function checkGroups(groups: readonly DiscoveryGroup[], core: readonly { readonly version: string }[]): void {
  const names = groups.map(({ name }) => name);
  const faults = [
    ...groups.flatMap(({ name, versions }) =>
      versions.length ? [] : [`group ${JSON.stringify(name)} has no versions`],
    ),
    ...names.filter((name, i) => names.indexOf(name) < i).map((name) => `group ${JSON.stringify(name)} is there twice`),
    ...[
      ...names,
      ...groups.flatMap(({ versions }) => versions.map(({ version }) => version)),
      ...core.map((c) => c.version),
    ]
      .filter((name) => name === '' || name.includes('/'))
      .map((name) => `${JSON.stringify(name)} cannot be a path segment: name groups and versions without slashes`),
  ];
  throwFaults('createDiscovery', faults);
}

async function answerPlain(plain: Page['plain'], inputs: NegotiationInputs, address: string): Promise<ApiResponse> {
  try {
    const write = negotiateDocument(inputs);
    const json = typeof plain === 'function' ? encoder.encode(JSON.stringify(plain(address))) : await plain.bytes();
    return await write(json);
  } catch (error) {
    if (isStatusFailure(error)) return respondFailure(error.status, inputs);
    throw error;
  }
}

/** Aggregated documents may be cached and are revalidated with their entity tag. */
async function answerAggregated(
  document: KeptDocument,
  write: WriteDocument,
  request: ApiRequest,
): Promise<ApiResponse> {
  const etag = await document.tag();
  const headers = { 'cache-control': 'public', etag };
  if (header(request, 'if-none-match') === etag) {
    return { status: 304, headers: { ...headers, vary: 'Accept' }, body: null };
  }
  const response = await write(await document.bytes());
  const vary = ['Accept', ...[response.headers['vary'] ?? []].flat()].join(', ');
  return { ...response, headers: { ...response.headers, ...headers, vary } };
}
