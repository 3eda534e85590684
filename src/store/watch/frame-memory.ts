import { createBoundedCache } from '../../cache/bounded-cache.js';

/** The size in bytes of the blocks of memory that consecutive frames share. */
const PIECE = 131_072;
const LARGE = 16_384;
/** The maximum number of forms that have a block at a time. */
const FORMS = 64;

export type FrameMemory = ReturnType<typeof createFrameMemory>;

/** Stores frames in order: those sent together are mostly adjacent, and need no copy (decision 34). */
export function createFrameMemory() {
  const pieces = createBoundedCache<string, { readonly bytes: Uint8Array; used: number }>({ maxEntries: FORMS });
  return {
    /** Copies a frame behind the last one of this form, and returns the copy. A long frame is returned as it is. */
    keep(form: string, frame: Uint8Array): Uint8Array {
      const { length } = frame;
      if (length > LARGE) return frame;
      let piece = pieces.get(form);
      if (piece === undefined || piece.used + length > PIECE) {
        piece = { bytes: new Uint8Array(PIECE), used: 0 };
        pieces.set(form, piece);
      }
      const at = piece.used;
      piece.bytes.set(frame, at);
      piece.used += length;
      return piece.bytes.subarray(at, piece.used);
    },
  };
}
