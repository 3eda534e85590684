import { connectionError, responseError } from '../contract/errors.js';
import type { WatchFrame } from '../contract/events-client.js';
import { CollectedBytes } from '../../http/bytes.js';
import { frameError, isEventObject, parseObject, shown } from './read-response.js';

const NEWLINE = 10;
const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/**
 * The frames of a watch, one JSON object per line. The bytes of a frame are kept until its line ends, at most `maxBytes`.
 * `from` names the server in errors.
 *
 * @throws StatusError for an ERROR frame, ConnectionError when the stream ends within a frame, else ResponseError
 */
export async function* framesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  from: string,
): AsyncGenerator<WatchFrame, void, undefined> {
  const tooLong = (): Error => responseError(`a frame of the watch${from} has more than ${maxBytes} bytes`, 200);
  const decoder = new TextDecoder();
  let begun = new CollectedBytes();
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const first = chunk.indexOf(NEWLINE);
    if (begun.length + (first < 0 ? chunk.byteLength : first) > maxBytes) throw tooLong();
    if (end > 0) {
      const head = chunk.subarray(0, end);
      begun.add(head);
      const text = decoder.decode(begun.joined());
      begun = new CollectedBytes();
      for (let at = 0, next = text.indexOf('\n'); next >= 0; at = next + 1, next = text.indexOf('\n', at)) {
        if (next - at > maxBytes) throw tooLong();
        const line = text.slice(at, next);
        if (line.trim() !== '') yield frameOf(line, from);
      }
    }
    if (end < chunk.byteLength) {
      const rest = chunk.subarray(end);
      // The producer may use the chunk's memory again. Not `slice`, which does not copy a Buffer.
      begun.add(begun.length === 0 ? new Uint8Array(rest) : rest);
      if (begun.length > maxBytes) throw tooLong();
    }
  }
  const rest = decoder.decode(begun.joined()).trim();
  if (rest === '') return;
  if (parseObject(rest) === undefined) throw connectionError(`the watch${from} ended in the middle of a frame`, true);
  yield frameOf(rest, from);
}

function frameOf(line: string, from: string): WatchFrame {
  const frame = parseObject(line);
  const object = frame?.object;
  if (frame?.type === 'ERROR') throw frameError(object);
  if (frame === undefined || !TYPES.has(frame.type) || !isEventObject(object)) {
    throw responseError(`the watch${from} sent an invalid frame: ${shown(line)}`, 200);
  }
  return frame as unknown as WatchFrame;
}
