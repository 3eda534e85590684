import { chain, settle } from '../../http/promise.js';
import { isStream, type ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import { tooManyRequestsText } from '../../responses/fixed-responses.js';
import type { Caller } from '../../model/caller.js';
import { asStream, isLarge } from './render.js';
import type { RequestContext } from './request-context.js';

/** Runs `work` with a place in flight, which is released with the request, or at the end of the stream. */
export function withInFlightLimit(
  context: RequestContext,
  caller: Caller,
  work: (place: Place) => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  const { dependencies, request, scope, life } = context;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const kind = scope?.verb === 'watch' ? 'watch' : reads ? 'read' : 'write';
  return chain(dependencies.limits.enter(kind, caller, life), (place) => {
    if (!place) return tooManyRequestsText();
    life.hold(place);
    return settle(
      place,
      work,
      (_, response) => answered(context, caller, place, response),
      (_, error): never => {
        life.release();
        throw error;
      },
    );
  });
}

function answered(context: RequestContext, caller: Caller, place: Place, response: ApiResponse): ApiResponse {
  const { dependencies, scope, life } = context;
  if (scope !== undefined && isStream(response.body)) {
    // A watch releases its place itself.
    if (scope.verb === 'watch') return response;
    place.streams();
    return life.stream(response, response.body, () => dependencies.limits.turn(caller, life));
  }
  if (isLarge(response)) {
    place.streams();
    const streamed = asStream(response);
    return life.stream(streamed, streamed.body);
  }
  life.release();
  return response;
}
