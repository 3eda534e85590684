import type { Query } from '../../http/url.js';
import type { ResponseKind, Representation, ResourceView } from '../../api/representation/contract.js';
import { negotiationInputs } from '../../api/representation/choice.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../../api/representation/media-types.js';
import { negotiate, routerAccepts } from '../../api/representation/negotiate.js';
import { createRepresentationCache } from '../../api/representation/representation-cache.js';
import { header } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import { requirePathName } from '../request/scope.js';

export type Negotiate = ReturnType<typeof createNegotiate>;

/**
 * Chooses the representation, cached for requests with the same headers. `name` of the path is checked between the two
 * stages of negotiation. Throws 400 and 406. `now`: microseconds.
 */
export function createNegotiate(now: () => number) {
  const cached = createRepresentationCache();
  return (
    request: ApiRequest,
    query: Query,
    view: ResourceView,
    responseKind: ResponseKind,
    name: string,
  ): Representation => {
    const { headers } = request;
    const negotiated = (): Representation => {
      const produced = responseKind === 'object' ? OBJECT_MEDIA_TYPES : COLLECTION_MEDIA_TYPES;
      const notAccepted = routerAccepts(header(request, 'accept'), produced);
      if (notAccepted) throw notAccepted;
      requirePathName(name);
      return negotiate(negotiationInputs(headers, query), view, responseKind, now);
    };
    if (query.has('pretty') || query.has('includeObject')) return negotiated();
    const representation = cached(headers, view, responseKind, negotiated);
    requirePathName(name);
    return representation;
  };
}
