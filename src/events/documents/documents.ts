import type { Query } from '../../http/url.js';
import { groupVersionPath } from '../../api/decode/type-meta.js';
import { isWatchRoot } from '../../api/request-info.js';
import { loadedOnce } from '../../api/schema/lazy.js';
import { routeNotFound } from '../../api/status/failures.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { notFoundText } from '../../responses/fixed-responses.js';
import { ownsPath } from '../request/scope.js';
import type { EventVersion } from '../versions/version.js';

export type Documents = ReturnType<typeof createDocuments>;

/**
 * Creates the handler of the documents, which are loaded at the first request for one. `roots`: whether to claim
 * `/api`, `/apis`, `/openapi/v2` and `/openapi/v3`; `undefined` claims them if there is no other handler.
 */
export function createDocuments(versions: readonly EventVersion[], roots: boolean | undefined) {
  const named = new Map(versions.map((one) => [groupVersionPath(one).slice(1), one]));
  const documents = loadedOnce(async () =>
    (await import('./api-documents.js')).createApiDocuments(named, roots !== false),
  );
  return {
    /** Whether a path outside those of the resource is served here; with `hasNext`, another handler may serve it. */
    claims(path: string, hasNext: boolean): boolean {
      if (roots === false) return false;
      if (ROOTS.has(path)) return roots === true || !hasNext;
      return path.startsWith(V3) && (named.has(path.slice(V3.length)) || !hasNext);
    },
    /** @throws StatusFailure 404 for a path below the group without a document */
    async respond(request: ApiRequest, path: string, query: Query): Promise<ApiResponse> {
      const document = await (await documents())(request, path, query);
      if (document) return document;
      if (!isWatchRoot(path) && versions.some((version) => ownsPath(version, path))) throw routeNotFound();
      return notFoundText();
    },
  };
}

const V3 = '/openapi/v3/';
const ROOTS: ReadonlySet<string> = new Set(['/api', '/api/', '/apis', '/apis/', '/openapi/v2', '/openapi/v3']);
