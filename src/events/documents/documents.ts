import type { DiscoveryResource } from '../../api/discovery/contract.js';
import { createDiscovery } from '../../api/discovery/discovery.js';
import type { Query } from '../../api/options/query.js';
import { routeNotFound } from '../../api/status/failures.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { isWatchRoot } from '../../api/request-info.js';
import { notFoundText } from '../../responses/fixed-responses.js';
import { createEventsOpenApi } from './openapi.js';
import { ownsPath } from '../request/routing.js';
import type { EventVersion } from '../versions/version.js';

/** Documents about the API: discovery and OpenAPI. */
export interface Documents {
  /** Whether a path outside the resource's own is answered here. */
  claims(path: string): boolean;
  /** @throws StatusError 404 for a path below the group that is none of them */
  answer(request: ApiRequest, path: string, query: Query): Promise<ApiResponse>;
}

/** Kubernetes' order: as discovery shows it. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** @param all false: only what lies below the group itself; another part of the service answers the rest */
export function createDocuments(options: {
  readonly versions: readonly EventVersion[];
  readonly all: boolean;
}): Documents {
  const { versions, all } = options;
  const served = versions.map(({ group, version }) => ({ group, version, resources: [resource(versions)] }));
  const core = served.find(({ group }) => group === '');
  const discovery = createDiscovery({
    groups: served
      .filter(({ group }) => group !== '')
      .map(({ group, version, resources }) => ({ name: group, versions: [{ version, resources }] })),
    ...(core && { core: { version: core.version, resources: core.resources } }),
  });
  const openApi = createEventsOpenApi(versions.map(({ group, version }) => ({ group, version })));
  return {
    claims: (path) =>
      all &&
      (path === '/api' ||
        path === '/api/' ||
        path === '/apis' ||
        path === '/apis/' ||
        path === '/openapi/v2' ||
        isV3(path)),
    async answer(request, path, query) {
      const document =
        (await discovery(request, path, query)) ?? (all ? await openApi.handle(path, query, request) : undefined);
      if (document) return document;
      if (!isWatchRoot(path) && versions.some((version) => ownsPath(version, path))) throw routeNotFound();
      return notFoundText();
    },
  };
}

const isV3 = (path: string): boolean => path === '/openapi/v3' || path.startsWith('/openapi/v3/');

/** Both versions are kept in the form of the first. */
const resource = ([stored]: readonly EventVersion[]): DiscoveryResource => ({
  name: 'events',
  singularName: 'event',
  namespaced: true,
  kind: 'Event',
  verbs: VERBS,
  shortNames: ['ev'],
  ...(stored && { storedAs: { group: stored.group, version: stored.version, kind: 'Event' } }),
});
