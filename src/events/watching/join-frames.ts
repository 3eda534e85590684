import { joinBytes } from '../../http/bytes.js';

/** Frames that came together leave together, but not more than about this much: a slow reader holds what is joined. */
const CHUNK_BYTES = 32_768;

/** Makes a few large chunks of many small frames. */
export interface FrameJoiner {
  /** Takes a frame, and gives a chunk when enough has come. */
  add(frame: Uint8Array): Uint8Array | undefined;
  /** What is left, if anything. */
  rest(): Uint8Array | undefined;
}

/** Frames that lie one behind the other as one, without a copy; `undefined`: they do not. */
function neighbours(frames: readonly Uint8Array[]): Uint8Array | undefined {
  const [first] = frames;
  if (first === undefined || frames.length === 1) return first;
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of frames) {
    if (buffer !== first.buffer || byteOffset !== end) return undefined;
    end += byteLength;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** Makes an empty {@link FrameJoiner}. A frame that is large by itself is handed on as it is. */
export function createFrameJoiner(): FrameJoiner {
  let frames: Uint8Array[] = [];
  let length = 0;
  const rest = (): Uint8Array | undefined => {
    if (frames.length === 0) return undefined;
    const chunk = neighbours(frames) ?? joinBytes(frames);
    frames = [];
    length = 0;
    return chunk;
  };
  return {
    add(frame) {
      frames.push(frame);
      length += frame.length;
      return length < CHUNK_BYTES ? undefined : rest();
    },
    rest,
  };
}
