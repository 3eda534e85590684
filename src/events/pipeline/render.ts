import type { Representation } from '../../api/representation/contract.js';
import { chain } from '../../http/promise.js';
import type { ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import { TOO_LATE, tooManyRequestsText } from '../../responses/fixed-responses.js';
import type { VerbCall } from '../request/call.js';
import { isRead, type Result } from '../request/result.js';
import { countedBytes, gathered, isLarge } from './large-answers.js';

/** The response with what a verb handed back. The bytes of a large one are counted first. */
export function render(
  call: VerbCall,
  representation: Representation,
  result: Result,
  place: Place,
): ApiResponse | Promise<ApiResponse> {
  const bytes = countedBytes(result, representation.gathersItems);
  return bytes === 0
    ? rendered(representation, result, place)
    : renderedCounted(call, representation, result, place, bytes);
}

/** 429 when there is no room for the bytes of the answer, which count until the client has taken them. */
async function renderedCounted(
  { dependencies, life, caller, scope }: VerbCall,
  representation: Representation,
  result: Result,
  place: Place,
  bytes: number,
): Promise<ApiResponse> {
  // The work at the store is done: waiting here delays nobody.
  place.streams();
  const held = await dependencies.limits.hold(bytes, caller, life);
  // A write has happened nevertheless.
  if (held === undefined) return isRead(scope.verb) ? tooManyRequestsText() : TOO_LATE;
  life.holdBytes(held);
  const counted = representation.gathersItems ? gathered(result, held) : result;
  const response = await rendered(representation, counted, place);
  if (isLarge(response)) held.become(response.body.byteLength);
  return response;
}

/** A watch gives its place back when it ends. */
function rendered(representation: Representation, result: Result, place: Place): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'object':
      return representation.object(result.json, result.status);
    case 'list':
      return representation.list(result.meta, result.batches, result.memory);
    case 'status':
      return representation.status(result.status, 200);
    case 'watch':
      return chain(representation.frames(), (encoder) => ({
        status: 200,
        headers: { 'content-type': representation.streamType },
        body: result.frames(encoder, () => place.release()),
      }));
  }
}
