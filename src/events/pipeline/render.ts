import type { Batches, Representation } from '../../api/representation/contract.js';
import { chain } from '../../http/promise.js';
import type { ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import { GATEWAY_TIMEOUT, tooManyRequestsText } from '../../responses/fixed-responses.js';
import { READ_AHEAD } from '../listing/read-list.js';
import { noCapacity } from '../request/capacity.js';
import { type VerbCall, isRead, type Result } from '../request/call.js';
import type { JsonSource } from '../../json/json-source.js';
import { isBytes } from '../../http/bytes.js';
import { LARGE_BYTES, type HeldBytes } from '../../limits/response-bytes.js';

/** Returns the response with the result of a verb. The bytes of a large result are counted first. */
export function render(
  call: VerbCall,
  representation: Representation,
  result: Result,
  place: Place,
): ApiResponse | Promise<ApiResponse> {
  const bytes = countedBytes(result, representation.gathersItems);
  if (bytes === 0) return rendered(representation, result, place);
  return renderedCounted(call, representation, result, place, bytes);
}

/** The bytes count until the client has received them. Returns 429, or 504 for a write, if there is no capacity. */
function renderedCounted(
  { dependencies, life, caller, scope }: VerbCall,
  representation: Representation,
  result: Result,
  place: Place,
  bytes: number,
): ApiResponse | Promise<ApiResponse> {
  // The store has done its work: waiting here delays no other request.
  place.streams();
  return chain<HeldBytes | undefined, ApiResponse>(
    life.heldBytes ?? dependencies.limits.hold(bytes, caller, life),
    (held) => {
      // A write has been stored nevertheless.
      if (held === undefined) return isRead(scope.verb) ? tooManyRequestsText() : GATEWAY_TIMEOUT;
      held.become(bytes);
      life.holdBytes(held);
      const counts = representation.gathersItems && result.kind === 'list';
      const counted = counts ? { ...result, batches: countedBatches(result.batches, held, bytes) } : result;
      return chain(rendered(representation, counted, place), (response) => {
        if (isLarge(response)) held.become(response.body.byteLength);
        return response;
      });
    },
  );
}

/** Encodes the result. A watch releases its place when it ends. Its header turns off the buffer of nginx. */
function rendered(representation: Representation, result: Result, place: Place): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'object':
      return representation.object(result.json, result.status);
    case 'list':
      return representation.list(result.meta, result.batches, result.memory);
    case 'status':
      return representation.status(result.status);
    case 'watch':
      return chain(representation.frames(), (encoder) => ({
        status: 200,
        headers: { 'content-type': representation.streamType, 'x-accel-buffering': 'no' },
        body: result.frames(encoder, () => place.release()),
      }));
  }
}

/** Returns the bytes of a response that have to be counted before it is rendered; 0 for a small response. */
function countedBytes(result: Result, gathers: boolean): number {
  if (result.kind === 'object') return result.json.byteLength > LARGE_BYTES ? result.json.byteLength : 0;
  if (result.kind !== 'list') return 0;
  const ahead = result.ahead ?? 0;
  // A gathered list may become large later.
  if (gathers && !Array.isArray(result.batches)) return Math.max(ahead, 1);
  return ahead > READ_AHEAD || (gathers && ahead > LARGE_BYTES) ? ahead : 0;
}

/**
 * Counts batches that stay in memory until the last one, and at least the first page, which is in memory already.
 *
 * @throws StatusFailure 429 without capacity for them
 */
async function* countedBatches(
  batches: Batches,
  held: HeldBytes,
  ahead: number,
): AsyncGenerator<readonly JsonSource[]> {
  let bytes = 0;
  for await (const batch of batches) {
    for (const { byteLength } of batch) bytes += byteLength;
    if (!held.grow(Math.max(bytes, ahead))) throw noCapacity();
    yield batch;
  }
}

type LargeResponse = ApiResponse & { readonly body: Uint8Array };

export function isLarge(response: ApiResponse): response is LargeResponse {
  const { body } = response;
  return isBytes(body) && body.byteLength > LARGE_BYTES;
}

/** Returns a large response as a stream, with its length as a header, because a stream has no length. */
export function asStream(response: LargeResponse): ApiResponse & { readonly body: AsyncIterable<Uint8Array> } {
  const { status, headers, body } = response;
  const length = String(body.byteLength);
  return { status, headers: { ...headers, 'content-length': length }, body: oneChunk(response) };
}

/** The chunk's memory is released when the reader requests more: a reader that leaves may still be sending it. */
async function* oneChunk({ body, release }: LargeResponse): AsyncGenerator<Uint8Array> {
  yield body;
  release?.();
}
