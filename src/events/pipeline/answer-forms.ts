import type { Query } from '../../api/options/query.js';
import type { AnswerShape, Representation, ResourceView } from '../../api/representation/contract.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../../api/representation/media-types.js';
import { negotiate, negotiationInputs, routerAccepts } from '../../api/representation/negotiate.js';
import { createRepresentationMemory } from '../../api/representation/remembered.js';
import { header } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import { requireName } from '../routing.js';

/**
 * How the answer to a request is written; `name` is the item's in the path, which is looked at between the two stages of
 * negotiation.
 *
 * @throws StatusError 400, 406
 */
export type AnswerForms = (
  request: ApiRequest,
  query: Query,
  view: ResourceView,
  shape: AnswerShape,
  name: string,
) => Representation;

/** Negotiates, once for requests that ask in the same words. `now` is microseconds since the epoch. */
export function createAnswerForms(now: () => number): AnswerForms {
  const memory = createRepresentationMemory();
  return (request, query, view, shape, name) => {
    const { headers } = request;
    const byHeadersAlone = !query.has('pretty') && !query.has('includeObject');
    const known = byHeadersAlone ? memory.find(headers, view, shape) : undefined;
    if (!known) {
      const produced = shape === 'object' ? OBJECT_MEDIA_TYPES : COLLECTION_MEDIA_TYPES;
      const notAccepted = routerAccepts(header(request, 'accept'), produced);
      if (notAccepted) throw notAccepted;
    }
    requireName(name);
    if (known) return known;
    const representation = negotiate(negotiationInputs(headers, query), view, shape, now);
    if (byHeadersAlone) memory.keep(headers, view, shape, representation);
    return representation;
  };
}
