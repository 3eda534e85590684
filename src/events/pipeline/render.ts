import type { Representation } from '../../api/representation/contract.js';
import type { ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import type { Result } from '../request/call.js';

/** The response for what a verb handed back. A watch gives its place back when it ends. */
export function rendered(
  representation: Representation,
  result: Result,
  place: Place,
): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'object':
      return representation.object(result.json, result.status);
    case 'list':
      return representation.list(result.meta, result.batches, result.memory);
    case 'status':
      return representation.status(result.status, 200);
    case 'watch':
      return streamed(representation, result, place);
  }
}

async function streamed(
  representation: Representation,
  result: Extract<Result, { readonly kind: 'watch' }>,
  place: Place,
): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { 'content-type': representation.streamType },
    body: result.frames(await representation.frames(), () => place.release()),
  };
}
