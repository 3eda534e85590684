import { JsonPieces, jsonBytes, writeJson, writePieces, type JsonSource } from '../../json/json-source.js';
import { CHUNK_BYTES, type ChunkMemory } from './chunk-memory.js';
import type { Batches } from './contract.js';
import type { SerializedBody } from './serializer.js';

/** Bytes of at least this length are sent unchanged; copying fewer costs less than a separate write. */
const MIN_SEPARATE_WRITE = 32_768;

export interface ListFrame {
  readonly head: Uint8Array;
  /** Between head and the first item. */
  readonly open: Uint8Array;
  readonly between: Uint8Array;
  /** After the last item. */
  readonly close: Uint8Array;
  /** After the head of a list without items. */
  readonly empty: Uint8Array;
  /** Converts an item. Absent: items are written unchanged. */
  readonly item?: ((item: JsonSource) => JsonSource) | undefined;
}

class ListPieces {
  pieces: JsonSource[];
  byteLength: number;
  readonly #frame: ListFrame;
  #any = false;

  constructor(frame: ListFrame) {
    this.#frame = frame;
    this.pieces = [frame.head];
    this.byteLength = frame.head.byteLength;
  }

  add(items: readonly JsonSource[]): void {
    const { open, between, item: form } = this.#frame;
    for (const given of items) {
      this.#push(this.#any ? between : open);
      this.#any = true;
      const item = form === undefined ? given : form(given);
      if (item instanceof JsonPieces) for (const piece of item.pieces) this.#push(piece);
      else this.#push(item);
    }
  }

  end(): void {
    this.#push(this.#any ? this.#frame.close : this.#frame.empty);
  }

  take(): readonly JsonSource[] {
    const { pieces } = this;
    this.pieces = [];
    this.byteLength = 0;
    return pieces;
  }

  #push(piece: JsonSource): void {
    this.pieces.push(piece);
    this.byteLength += piece.byteLength;
  }
}

/**
 * The body of a list: bytes of known length if it fits a chunk, otherwise a stream of chunks in *one* buffer, reused
 * when the next chunk is requested; longer bytes are sent unchanged. Synchronous if the batches are an array.
 */
export function listBody(
  frame: ListFrame,
  batches: Batches,
  memory?: ChunkMemory,
): SerializedBody | Promise<SerializedBody> {
  const body = new ListPieces(frame);
  if (Symbol.asyncIterator in batches) return beginning(body, batches[Symbol.asyncIterator](), memory);
  for (const items of batches) body.add(items);
  body.end();
  return whole(body, memory);
}

async function beginning(
  body: ListPieces,
  source: AsyncIterator<readonly JsonSource[]>,
  memory: ChunkMemory | undefined,
): Promise<SerializedBody> {
  try {
    while (body.byteLength <= CHUNK_BYTES) if (!(await addNext(body, source))) return whole(body, memory);
  } catch (error) {
    await source.return?.();
    throw error;
  }
  return stream(body, source, memory);
}

/** Adds the next batch or the end. @returns false at the end */
async function addNext(body: ListPieces, source: AsyncIterator<readonly JsonSource[]>): Promise<boolean> {
  const step = await source.next();
  if (step.done === true) body.end();
  else body.add(step.value);
  return step.done !== true;
}

function whole(all: ListPieces, memory: ChunkMemory | undefined): SerializedBody {
  const { pieces, byteLength } = all;
  if (byteLength > CHUNK_BYTES) return stream(all, undefined, memory);
  const body = memory?.allocate(byteLength) ?? new Uint8Array(byteLength);
  writePieces(pieces, 'release' in body ? body.bytes : body, 0);
  return body;
}

async function* stream(
  body: ListPieces,
  source: AsyncIterator<readonly JsonSource[]> | undefined,
  memory: ChunkMemory | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = memory?.acquire() ?? new Uint8Array(CHUNK_BYTES);
  let used = 0;
  let more = source;
  try {
    for (;;) {
      for (const piece of body.take()) {
        const { byteLength } = piece;
        const asItIs = byteLength > CHUNK_BYTES || (byteLength >= MIN_SEPARATE_WRITE && !('writeTo' in piece));
        if (used > 0 && (asItIs || used + byteLength > CHUNK_BYTES)) {
          yield chunk.subarray(0, used);
          used = 0;
        }
        if (asItIs) {
          yield jsonBytes(piece);
        } else {
          writeJson(piece, chunk, used);
          used += byteLength;
        }
      }
      if (more === undefined) break;
      if (!(await addNext(body, more))) more = undefined;
    }
    if (used > 0) yield chunk.subarray(0, used);
    // A consumer that requests more has sent the last chunk. One that ends early may still be sending it.
    memory?.release(chunk);
  } finally {
    await more?.return?.();
  }
}
