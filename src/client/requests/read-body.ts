import type { ApiResponse } from '../../http/response.js';
import { isStream, releaseIterator, releaseSource } from '../../http/response.js';
import { CollectedBytes } from '../../http/bytes.js';
import { untilAborted } from '../../clock/abortable.js';
import { connectionError } from '../contract/errors.js';

/** The chunks of a response, each the consumer's until it requests the next. Rejects when a signal is aborted. */
export async function* chunksOf(
  response: Pick<ApiResponse, 'body' | 'signal'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { body } = response;
  if (body === null) return;
  if (!isStream(body)) {
    yield typeof body === 'string' ? new TextEncoder().encode(body) : body;
    return;
  }
  const ended = response.signal;
  const either = ended === undefined ? signal : AbortSignal.any([signal, ended]);
  const throwIfAborted = (): void => {
    signal.throwIfAborted();
    if (ended?.aborted) throw connectionError('the server aborted its response', true, ended.reason);
  };
  let iterator: AsyncIterator<Uint8Array> | undefined = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result: IteratorResult<Uint8Array, unknown> = await untilAborted(iterator.next(), either);
      throwIfAborted();
      if (result.done) {
        iterator = undefined;
        return;
      }
      yield result.value;
    }
  } catch (error) {
    throwIfAborted();
    throw error;
  } finally {
    releaseIterator(iterator);
  }
}

/** Reads at most `limit` bytes of a body as text. `cut` is true if there was more, which is released unread. */
export async function readBody(
  response: Pick<ApiResponse, 'body' | 'signal'>,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const { body } = response;
  // Each UTF-16 unit takes 3 bytes at most.
  if (typeof body === 'string' && body.length * 3 <= limit) return { text: body, cut: false };
  const read = new CollectedBytes();
  let cut = false;
  const mustCopy = isStream(body);
  for await (const chunk of chunksOf(response, signal)) {
    const piece = chunk.subarray(0, limit - read.length);
    // Not `slice`, which does not copy a Buffer.
    read.add(mustCopy && read.length === 0 ? new Uint8Array(piece) : piece);
    cut = piece.byteLength < chunk.byteLength;
    if (cut) break;
  }
  return { text: new TextDecoder().decode(read.joined()), cut };
}

export function discard(response: ApiResponse | undefined): void {
  if (response !== undefined && isStream(response.body)) releaseSource(response.body);
}
