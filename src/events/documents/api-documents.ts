import type { DiscoveryResource, GroupVersion } from '../../api/discovery/documents.js';
import { createDiscovery } from '../../api/discovery/discovery.js';
import { openApiDocument } from '../../api/openapi/document.js';
import { createOpenApi, type OpenApi } from '../../api/openapi/open-api.js';
import type { Json } from '../../api/openapi/schemas.js';
import type { Query } from '../../api/options/query.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

/** The served versions by the names of their documents below `/openapi/v3/`. The version that is stored is first. */
export type ServedVersions = ReadonlyMap<string, GroupVersion>;

const RESOURCE: DiscoveryResource = {
  name: 'events',
  singularName: 'event',
  namespaced: true,
  kind: 'Event',
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  shortNames: ['ev'],
};

/** Creates the handler of discovery and, unless another part of the service has them, the OpenAPI documents. */
export function createApiDocuments(
  versions: ServedVersions,
  withOpenApi: boolean,
): (request: ApiRequest, path: string, query: Query) => Promise<ApiResponse | undefined> {
  const [stored, ...others] = versions.values();
  const discovery = createDiscovery(RESOURCE, [stored as GroupVersion, ...others]);
  const openApi = createEventsOpenApi(versions);
  return async (request, path, query) =>
    (await discovery(request, path, query)) ?? (withOpenApi ? openApi.handle(path, query, request) : undefined);
}

export function createEventsOpenApi(versions: ServedVersions): OpenApi {
  return createOpenApi({
    documents: new Map([...versions].map(([name, one]) => [name, () => eventsOpenApiDocument(one)])),
  });
}

export function eventsOpenApiDocument({ group, version }: GroupVersion): Json {
  const shape = group === '' ? coreEventShape() : eventShape();
  return openApiDocument({ group, version, plural: 'events', kind: 'Event', shape });
}
