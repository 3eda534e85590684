import { JsonPieces, jsonBytes, writeJson, type JsonSource } from '../../json/json-source.js';
import { CHUNK_BYTES, type ChunkMemory, type LentBytes } from './chunk-memory.js';
import type { Batches, SerializedBody } from './serializer.js';

/** Bytes of at least this length are sent as they are; to copy less costs less than a write of its own. */
const WORTH_A_WRITE = 32_768;

/** The bytes around the items of a list. */
export interface ListFrame {
  readonly head: Uint8Array;
  /** Between head and the first item. */
  readonly open: Uint8Array;
  readonly between: Uint8Array;
  /** After the last item. */
  readonly close: Uint8Array;
  /** After the head of a list without items. */
  readonly empty: Uint8Array;
  /** What becomes of an item. Absent: it is written as it is. */
  readonly item?: ((item: JsonSource) => JsonSource) | undefined;
}

/** A body that is being put together. */
class ListPieces {
  /** What has not been written yet, and how long it is. */
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

  /** Hands out what has not been written yet. */
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
 * The body of a list: bytes of known length when it fits a chunk (lent ones, where there is a memory), otherwise a stream
 * of chunks that are written to *one* buffer, which is filled again when the next chunk is asked for; longer bytes are sent
 * as they are. Never more than one batch and one chunk are held. Without a promise where all items are there.
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
  return body.byteLength <= CHUNK_BYTES ? joined(body, memory) : stream(body, undefined, memory);
}

async function beginning(
  body: ListPieces,
  source: AsyncIterator<readonly JsonSource[]>,
  memory: ChunkMemory | undefined,
): Promise<SerializedBody> {
  try {
    while (body.byteLength <= CHUNK_BYTES) {
      const step = await source.next();
      if (step.done !== true) {
        body.add(step.value);
        continue;
      }
      body.end();
      return body.byteLength <= CHUNK_BYTES ? joined(body, memory) : stream(body, undefined, memory);
    }
  } catch (error) {
    await source.return?.();
    throw error;
  }
  return stream(body, source, memory);
}

function joined({ pieces, byteLength }: ListPieces, memory: ChunkMemory | undefined): Uint8Array | LentBytes {
  const body = memory?.lend(byteLength) ?? new Uint8Array(byteLength);
  const out = 'release' in body ? body.bytes : body;
  let at = 0;
  for (const piece of pieces) {
    writeJson(piece, out, at);
    at += piece.byteLength;
  }
  return body;
}

async function* stream(
  body: ListPieces,
  source: AsyncIterator<readonly JsonSource[]> | undefined,
  memory: ChunkMemory | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = memory?.take() ?? new Uint8Array(CHUNK_BYTES);
  let used = 0;
  let more = source;
  try {
    for (;;) {
      for (const piece of body.take()) {
        const { byteLength } = piece;
        const asItIs = byteLength > CHUNK_BYTES || (byteLength >= WORTH_A_WRITE && !('writeTo' in piece));
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
      const step = await more.next();
      if (step.done === true) {
        more = undefined;
        body.end();
      } else {
        body.add(step.value);
      }
    }
    if (used > 0) yield chunk.subarray(0, used);
    // The consumer asked for more, and so is done with the last chunk. One that left may still be sending it.
    memory?.give(chunk);
  } finally {
    await more?.return?.();
  }
}
