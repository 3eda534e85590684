import { tooManyRequests } from '../../api/status/failures.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches } from '../../api/representation/list-form.js';
import { isBytes } from '../../http/bytes.js';
import type { ApiResponse } from '../../http/response.js';
import type { HeldBytes } from '../../limits/answer-bytes.js';
import type { Result } from './call.js';

/** Answers of more bytes are counted, and sent as streams: a stream has an end, whatever bridge it goes through. */
export const LARGE_BYTES = 65_536;
/** What a streaming list has read ahead is counted when it is more than this. */
const READ_AHEAD = 1_048_576;

/** The bytes of an answer that have to be counted before it is made; 0: it is small. */
export function countedBytes(result: Result, gathers: boolean): number {
  if (result.kind === 'object') return result.json.byteLength > LARGE_BYTES ? result.json.byteLength : 0;
  if (result.kind !== 'list') return 0;
  const ahead = result.ahead ?? 0;
  // What is gathered may become large later on.
  if (gathers && !Array.isArray(result.batches)) return Math.max(ahead, 1);
  return ahead > READ_AHEAD || (gathers && ahead > LARGE_BYTES) ? ahead : 0;
}

/** A list that is held until its last item is there, counted as it grows. */
export function gathered(result: Result, held: HeldBytes): Result {
  if (result.kind !== 'list') return result;
  return { ...result, batches: counted(result.batches, held) };
}

/** @throws StatusError 429 when others have taken the room meanwhile */
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

/** An answer in one piece that is large. */
export type LargeAnswer = ApiResponse & { readonly body: Uint8Array };

/** True for an answer in one piece that is sent as a stream. */
export function isLarge(response: ApiResponse): response is LargeAnswer {
  const { body } = response;
  return isBytes(body) && body.byteLength > LARGE_BYTES;
}

/** The headers of a large answer: a stream does not tell its length. */
export function headersOf({ headers, body }: LargeAnswer): ApiResponse['headers'] {
  return { ...headers, 'content-length': String(body.byteLength) };
}

/** A large answer as a stream of one chunk, which is let go as soon as somebody has it. */
export class OneChunk implements AsyncIterableIterator<Uint8Array> {
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

  /** Somebody may still be sending the chunk: lent memory is not given back. */
  return(): Promise<IteratorResult<Uint8Array>> {
    this.#bytes = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }
}
