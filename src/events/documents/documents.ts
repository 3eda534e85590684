import type { DiscoveryResource } from '../../api/discovery/contract.js';
import { createDiscovery } from '../../api/discovery/discovery.js';
import type { Query } from '../../api/options/query.js';
import { routeNotFound } from '../../api/status/failures.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { isWatchRoot } from '../../api/request-info.js';
import { notFoundText } from '../../responses/fixed-responses.js';
import { ownsPath } from '../request/scope.js';
import type { EventVersion } from '../versions/version.js';
import { lazy } from '../../api/schema/lazy.js';

/** Documents about the API: discovery and OpenAPI. */
export interface Documents {
  /** Whether a path outside the resource's own is answered here; with `hasNext` somebody else may have it. */
  claims(path: string, hasNext: boolean): boolean;
  /** @throws StatusFailure 404 for a path below the group that is none of them */
  answer(request: ApiRequest, path: string, query: Query): Promise<ApiResponse>;
}

/** Kubernetes' order: as discovery shows it. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * @param roots `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`: true claims them, false leaves them to another part of the
 *   service, and `undefined` claims them where nobody else is asked
 */
export function createDocuments(options: {
  readonly versions: readonly EventVersion[];
  readonly roots: boolean | undefined;
}): Documents {
  const { versions, roots } = options;
  const served = versions.map(({ group, version }) => ({ group, version, resources: [resource(versions)] }));
  const core = served.find(({ group }) => group === '');
  const discovery = createDiscovery({
    groups: served
      .filter(({ group }) => group !== '')
      .map(({ group, version, resources }) => ({ name: group, versions: [{ version, resources }] })),
    ...(core && { core: { version: core.version, resources: core.resources } }),
  });
  const own = new Map(
    versions.map((one) => [one.group === '' ? `api/${one.version}` : `apis/${one.group}/${one.version}`, one]),
  );
  const openApi = lazy(async () => (await import('./openapi.js')).createEventsOpenApi(own));
  return {
    claims(path, hasNext) {
      if (roots === false) return false;
      if (ROOTS.has(path)) return roots === true || !hasNext;
      return path.startsWith(`${V3}/`) && (own.has(path.slice(V3.length + 1)) || !hasNext);
    },
    async answer(request, path, query) {
      const document =
        (await discovery(request, path, query)) ??
        (roots === false || !path.startsWith('/openapi/')
          ? undefined
          : await (await openApi()).handle(path, query, request));
      if (document) return document;
      if (!isWatchRoot(path) && versions.some((version) => ownsPath(version, path))) throw routeNotFound();
      return notFoundText();
    },
  };
}

const V3 = '/openapi/v3';
const ROOTS: ReadonlySet<string> = new Set(['/api', '/api/', '/apis', '/apis/', '/openapi/v2', V3]);

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
