import type { Query } from '../../api/options/query.js';
import type { AnswerShape, Representation, ResourceView } from '../../api/representation/contract.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../../api/representation/media-types.js';
import { negotiate, negotiationInputs, routerAccepts } from '../../api/representation/negotiate.js';
import { createRepresentationMemory } from '../../api/representation/remembered.js';
import { header } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import { requireName } from '../request/scope.js';

/** See {@link createNegotiate}. */
export type Negotiate = ReturnType<typeof createNegotiate>;

/**
 * Makes the function that chooses the representation of the response to a request. Remembers it for requests with the same
 * headers. `name`, the item's in the path, is checked between the two stages of negotiation. Its failures are 400 and 406.
 *
 * @param now microseconds since the epoch
 */
export function createNegotiate(now: () => number) {
  const remembered = createRepresentationMemory();
  return (request: ApiRequest, query: Query, view: ResourceView, shape: AnswerShape, name: string): Representation => {
    const { headers } = request;
    const negotiated = (): Representation => {
      const produced = shape === 'object' ? OBJECT_MEDIA_TYPES : COLLECTION_MEDIA_TYPES;
      const notAccepted = routerAccepts(header(request, 'accept'), produced);
      if (notAccepted) throw notAccepted;
      requireName(name);
      return negotiate(negotiationInputs(headers, query), view, shape, now);
    };
    if (query.has('pretty') || query.has('includeObject')) return negotiated();
    const representation = remembered(headers, view, shape, negotiated);
    requireName(name);
    return representation;
  };
}
