import type { Representation } from '../../api/representation/contract.js';
import { chain } from '../../http/promise.js';
import type { ApiResponse } from '../../http/response.js';
import type { Place } from '../../limits/in-flight.js';
import { TOO_LATE, tooManyRequestsText } from '../../responses/fixed-responses.js';
import { type VerbCall, isRead, type Result } from '../request/call.js';
import { tooManyRequests } from '../../api/status/failures.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches } from '../../api/representation/serializer.js';
import { isBytes } from '../../http/bytes.js';
import { LARGE_BYTES, type HeldBytes } from '../../limits/answer-bytes.js';

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
      return representation.status(result.status);
    case 'watch':
      return chain(representation.frames(), (encoder) => ({
        status: 200,
        headers: { 'content-type': representation.streamType },
        body: result.frames(encoder, () => place.release()),
      }));
  }
}

/** Events that a streaming list has read before its answer begins are counted when they are more bytes than this. */
const READ_AHEAD = 1_048_576;

/** The bytes of an answer that have to be counted before it is rendered; 0: it is small. */
function countedBytes(result: Result, gathers: boolean): number {
  if (result.kind === 'object') return result.json.byteLength > LARGE_BYTES ? result.json.byteLength : 0;
  if (result.kind !== 'list') return 0;
  const ahead = result.ahead ?? 0;
  // What is gathered may become large later on.
  if (gathers && !Array.isArray(result.batches)) return Math.max(ahead, 1);
  return ahead > READ_AHEAD || (gathers && ahead > LARGE_BYTES) ? ahead : 0;
}

/** A list that is held until its last item is there, counted as it grows. */
function gathered(result: Result, held: HeldBytes): Result {
  if (result.kind !== 'list') return result;
  return { ...result, batches: counted(result.batches, held) };
}

/** @throws StatusFailure 429 when other answers have taken the room meanwhile */
async function* counted(batches: Batches, held: HeldBytes): AsyncGenerator<readonly JsonSource[]> {
  let bytes = 0;
  for await (const batch of batches) {
    for (const { byteLength } of batch) bytes += byteLength;
    if (!held.grow(bytes)) {
      throw tooManyRequests(
        'answers of this caller, or of all, take too much memory, please ask for less with limit',
        1,
      );
    }
    yield batch;
  }
}

type LargeAnswer = ApiResponse & { readonly body: Uint8Array };

/** True for an answer in one piece that is sent as a stream. */
export function isLarge(response: ApiResponse): response is LargeAnswer {
  const { body } = response;
  return isBytes(body) && body.byteLength > LARGE_BYTES;
}

/** A large answer as a stream. The length is a header of its own, because a stream does not tell it. */
export function asStream(answer: LargeAnswer): ApiResponse & { readonly body: AsyncIterable<Uint8Array> } {
  const { status, headers, body } = answer;
  const length = String(body.byteLength);
  return { status, headers: { ...headers, 'content-length': length }, body: new OneChunk(answer) };
}

/** A stream of one chunk, which is released as soon as the reader has it. */
class OneChunk implements AsyncIterableIterator<Uint8Array> {
  #bytes: Uint8Array | undefined;
  readonly #sent: (() => void) | undefined;

  constructor({ body, release }: LargeAnswer) {
    this.#bytes = body;
    this.#sent = release;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.#bytes;
    this.#bytes = undefined;
    if (value !== undefined) return Promise.resolve({ done: false, value });
    this.#sent?.();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The chunk may still be on its way to the client: lent memory is not given back. */
  return(): Promise<IteratorResult<Uint8Array>> {
    this.#bytes = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }
}
