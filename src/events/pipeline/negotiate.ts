import type { Query } from '../../api/options/query.js';
import type { AnswerShape, Representation, ResourceView } from '../../api/representation/contract.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../../api/representation/media-types.js';
import { negotiate, negotiationInputs, routerAccepts } from '../../api/representation/negotiate.js';
import { createRepresentationMemory } from '../../api/representation/remembered.js';
import { header } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import { requireName } from '../request/scope.js';

/**
 * Chooses the representation of the answer to a request. `name` is that of the item in the path: it is checked between the
 * two stages of negotiation.
 *
 * @throws StatusFailure 400, 406
 */
export type Negotiate = (
  request: ApiRequest,
  query: Query,
  view: ResourceView,
  shape: AnswerShape,
  name: string,
) => Representation;

/** Makes a {@link Negotiate}, which remembers the representation for requests with the same headers. `now` is microseconds since the epoch. */
export function createNegotiate(now: () => number): Negotiate {
  const remembered = createRepresentationMemory();
  return (request, query, view, shape, name) => {
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
