import { isPromise } from '../../http/promise.js';
import { CHUNK_BYTES, type ChunkMemory, type LentBytes } from './chunk-memory.js';
import { jsonBytes, writeJson, type JsonSource } from './json-source.js';
import type { Batches } from './list-form.js';
import type { SerializedBody } from './serializer.js';

/** What is joined already is sent as it is from this length on; to copy less costs less than a write of its own. */
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

/** Pulls batches and turns them into the pieces of the body, head and tail included. */
interface Pieces {
  /** Appends the next pieces to `into` and returns their bytes; undefined when there are no more. Waits for batches only. */
  next(into: JsonSource[]): number | undefined | Promise<number | undefined>;
  stop(): Promise<void>;
}

function createPieces(frame: ListFrame, batches: Batches): Pieces {
  const source = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let any = false;
  let done = false;
  const append = (step: IteratorResult<readonly JsonSource[], unknown>, into: JsonSource[]): number => {
    if (step.done) {
      done = true;
      const tail = any ? frame.close : frame.empty;
      into.push(tail);
      return tail.byteLength;
    }
    let bytes = 0;
    for (const given of step.value) {
      const separator = any ? frame.between : frame.open;
      const item = frame.item ? frame.item(given) : given;
      any = true;
      into.push(separator, item);
      bytes += separator.byteLength + item.byteLength;
    }
    return bytes;
  };
  return {
    next(into) {
      if (done) return undefined;
      const step = source.next();
      return isPromise(step) ? step.then((taken) => append(taken, into)) : append(step, into);
    },
    async stop() {
      if (done) return;
      done = true;
      await source.return?.();
    },
  };
}

/**
 * The body of a list: bytes of known length when it fits a chunk (lent ones, where there is a memory), otherwise a stream
 * of chunks cut from *one* buffer that is filled again when the next chunk is asked for; what is joined already goes out
 * as it is. Never more than one batch and one chunk are held.
 */
export function listBody(
  frame: ListFrame,
  batches: Batches,
  memory?: ChunkMemory,
): SerializedBody | Promise<SerializedBody> {
  return onlyBatch(frame, batches, memory) ?? batchesBody(frame, batches, memory);
}

/** The body of a list that is there, and fits a chunk: most are, and need none of what waits. */
function onlyBatch(
  frame: ListFrame,
  batches: Batches,
  memory: ChunkMemory | undefined,
): Uint8Array | LentBytes | undefined {
  if (frame.item !== undefined || !Array.isArray(batches) || batches.length !== 1) return undefined;
  const [items] = batches as [readonly JsonSource[]];
  const { head, between } = frame;
  const open = items.length === 0 ? frame.empty : frame.open;
  let total = head.byteLength + open.byteLength;
  if (items.length > 0) total += (items.length - 1) * between.byteLength + frame.close.byteLength;
  for (let i = 0; i < items.length; i++) total += (items[i] as JsonSource).byteLength;
  if (total > CHUNK_BYTES) return undefined;

  const body = memory?.lend(total) ?? new Uint8Array(total);
  const out = 'release' in body ? body.bytes : body;
  out.set(head, 0);
  let at = head.byteLength;
  for (let i = 0; i < items.length; i++) {
    const separator = i === 0 ? open : between;
    writeJson(separator, out, at);
    at += separator.byteLength;
    const item = items[i] as JsonSource;
    writeJson(item, out, at);
    at += item.byteLength;
  }
  writeJson(items.length === 0 ? open : frame.close, out, at);
  return body;
}

async function batchesBody(
  frame: ListFrame,
  batches: Batches,
  memory: ChunkMemory | undefined,
): Promise<SerializedBody> {
  const pieces = createPieces(frame, batches);
  const first: JsonSource[] = [frame.head];
  let total = frame.head.byteLength;
  try {
    while (total <= CHUNK_BYTES) {
      const next = pieces.next(first);
      const bytes = isPromise(next) ? await next : next;
      if (bytes === undefined) return joined(first, memory?.lend(total) ?? new Uint8Array(total));
      total += bytes;
    }
  } catch (error) {
    await pieces.stop();
    throw error;
  }
  return stream(first, pieces, memory);
}

function joined(pieces: readonly JsonSource[], body: Uint8Array | LentBytes): Uint8Array | LentBytes {
  const out = 'release' in body ? body.bytes : body;
  let at = 0;
  for (const piece of pieces) {
    writeJson(piece, out, at);
    at += piece.byteLength;
  }
  return body;
}

async function* stream(
  first: JsonSource[],
  pieces: Pieces,
  memory: ChunkMemory | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = memory?.take() ?? new Uint8Array(CHUNK_BYTES);
  let used = 0;
  let waiting = first;
  try {
    for (;;) {
      for (const whole of waiting) {
        const parts = 'pieces' in whole ? whole.pieces : undefined;
        for (const part of parts ?? [whole]) {
          const room = CHUNK_BYTES - used;
          const lasts = parts !== undefined && !('writeTo' in part);
          if (part.byteLength < room && !(lasts && part.byteLength >= WORTH_A_WRITE)) {
            writeJson(part, chunk, used);
            used += part.byteLength;
            continue;
          }
          if (lasts) {
            if (used > 0) yield chunk.subarray(0, used);
            used = 0;
            yield part;
            continue;
          }
          const piece = jsonBytes(part);
          let from = 0;
          while (from < piece.byteLength) {
            const count = Math.min(piece.byteLength - from, CHUNK_BYTES - used);
            chunk.set(from === 0 && count === piece.byteLength ? piece : piece.subarray(from, from + count), used);
            from += count;
            used += count;
            if (used < CHUNK_BYTES) continue;
            yield chunk;
            used = 0;
          }
        }
      }
      waiting = [];
      const next = pieces.next(waiting);
      if ((isPromise(next) ? await next : next) === undefined) break;
    }
    if (used > 0) yield chunk.subarray(0, used);
    // The consumer asked for more, and so is done with the last chunk. One that left may still be sending it.
    memory?.give(chunk);
  } finally {
    await pieces.stop();
  }
}
