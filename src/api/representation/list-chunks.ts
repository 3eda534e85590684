import { JsonPieces, jsonBytes, writeJson, type JsonSource } from '../../json/json-source.js';
import { CHUNK_BYTES, type ChunkMemory, type LentBytes } from './chunk-memory.js';
import type { Batches } from './list-form.js';
import type { SerializedBody } from './serializer.js';

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

/** The items, each behind its separator. `begun`: others stand before them. */
function separated(frame: ListFrame, items: readonly JsonSource[], begun: boolean): JsonSource[] {
  const { between, item: form } = frame;
  const pieces: JsonSource[] = [];
  let separator = begun ? between : frame.open;
  for (const given of items) {
    const item = form === undefined ? given : form(given);
    pieces.push(separator);
    if (item instanceof JsonPieces) pieces.push(...item.pieces);
    else pieces.push(item);
    separator = between;
  }
  return pieces;
}

/** A body in pieces, head and tail included, a batch at a time. */
async function* inPieces(
  frame: ListFrame,
  batches: AsyncIterable<readonly JsonSource[]>,
): AsyncGenerator<readonly JsonSource[], undefined> {
  yield [frame.head];
  let begun = false;
  for await (const items of batches) {
    yield separated(frame, items, begun);
    begun ||= items.length > 0;
  }
  yield [begun ? frame.close : frame.empty];
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
  if (Symbol.asyncIterator in batches) return beginning(inPieces(frame, batches), memory);
  const items = batches.flat();
  const tail = items.length > 0 ? frame.close : frame.empty;
  const body = new JsonPieces([frame.head, ...separated(frame, items, false), tail]);
  return body.byteLength > CHUNK_BYTES ? stream(body.pieces, undefined, memory) : inOneChunk(body, memory);
}

async function beginning(
  source: AsyncGenerator<readonly JsonSource[], undefined>,
  memory: ChunkMemory | undefined,
): Promise<SerializedBody> {
  const pieces: JsonSource[] = [];
  for (let bytes = 0; bytes <= CHUNK_BYTES;) {
    const step = await source.next();
    if (step.done === true) return inOneChunk(new JsonPieces(pieces), memory);
    for (const piece of step.value) {
      pieces.push(piece);
      bytes += piece.byteLength;
    }
  }
  return stream(pieces, source, memory);
}

function inOneChunk(pieces: JsonPieces, memory: ChunkMemory | undefined): Uint8Array | LentBytes {
  const body = memory?.lend(pieces.byteLength) ?? new Uint8Array(pieces.byteLength);
  pieces.writeTo('release' in body ? body.bytes : body, 0);
  return body;
}

async function* stream(
  first: readonly JsonSource[],
  source: AsyncGenerator<readonly JsonSource[], undefined> | undefined,
  memory: ChunkMemory | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = memory?.take() ?? new Uint8Array(CHUNK_BYTES);
  let used = 0;
  try {
    for (let pieces: readonly JsonSource[] | undefined = first; pieces; pieces = (await source?.next())?.value) {
      for (const piece of pieces) {
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
    }
    if (used > 0) yield chunk.subarray(0, used);
    // The consumer asked for more, and so is done with the last chunk. One that left may still be sending it.
    memory?.give(chunk);
  } finally {
    await source?.return(undefined);
  }
}
