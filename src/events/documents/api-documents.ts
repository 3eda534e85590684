import type { Query } from '../../http/url.js';
import type { DiscoveryResource } from '../../api/discovery/documents.js';
import type { GroupVersion } from '../../api/decode/type-meta.js';
import { createDiscovery } from '../../api/discovery/discovery.js';
import { openApiDocument } from '../../api/openapi/open-api-document.js';
import { createOpenApi } from '../../api/openapi/open-api.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

const RESOURCE: DiscoveryResource = {
  name: 'events',
  singularName: 'event',
  namespaced: true,
  kind: 'Event',
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  shortNames: ['ev'],
};

/**
 * Creates the handler of discovery and, unless another part of the service has them, the OpenAPI documents. `versions`:
 * by the names of their documents below `/openapi/v3/`, first the version that is stored.
 */
export function createApiDocuments(
  versions: ReadonlyMap<string, GroupVersion>,
  withOpenApi: boolean,
): (request: ApiRequest, path: string, query: Query) => Promise<ApiResponse | undefined> {
  const [stored, ...others] = versions.values();
  const discovery = createDiscovery(RESOURCE, [stored as GroupVersion, ...others]);
  const documents = [...versions].map(([name, { group, version }]) => {
    const shape = group === '' ? coreEventShape() : eventShape();
    return [name, () => openApiDocument({ group, version, plural: 'events', kind: 'Event', shape })] as const;
  });
  const openApi = createOpenApi(new Map(documents));
  return async (request, path, query) =>
    (await discovery(request, path, query)) ?? (withOpenApi ? openApi(path, query, request) : undefined);
}
