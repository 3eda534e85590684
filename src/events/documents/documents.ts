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
import { openApiDocument } from '../../api/openapi/document.js';
import { createOpenApi, type OpenApi } from '../../api/openapi/open-api.js';
import type { Json } from '../../api/openapi/schemas.js';
import type { Clock } from '../../clock/clock.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

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
  const openApi = createEventsOpenApi(versions);
  const own = new Set(versions.map((version) => `${V3}/${documentName(version)}`));
  return {
    claims(path, hasNext) {
      if (roots === false) return false;
      if (ROOTS.has(path)) return roots === true || !hasNext;
      return path.startsWith(`${V3}/`) && (own.has(path) || !hasNext);
    },
    async answer(request, path, query) {
      const document =
        (await discovery(request, path, query)) ??
        (roots === false ? undefined : await openApi.handle(path, query, request));
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

/** A served group and version of the Event. The empty group is core. */
interface EventsGroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Options of {@link createEventsOpenApi}. */
interface EventsOpenApiOptions {
  readonly clock?: Clock | undefined;
}

/** Serves the OpenAPI documents of the Event in the given versions. */
export function createEventsOpenApi(
  versions: readonly EventsGroupVersion[],
  { clock }: EventsOpenApiOptions = {},
): OpenApi {
  const documents = versions.map((one) => [documentName(one), () => eventsOpenApiDocument(one)] as const);
  return createOpenApi({ documents: new Map(documents), clock });
}

/** The OpenAPI 3.0 document of the Event in one version. */
export function eventsOpenApiDocument({ group, version }: EventsGroupVersion): Json {
  const shape = group === '' ? coreEventShape() : eventShape();
  return openApiDocument({ group, version, plural: 'events', kind: 'Event', shape });
}

const documentName = ({ group, version }: EventsGroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;
