import type { CallerState } from './caller-queues.js';

/** Responses with more bytes are counted, and sent as streams, because every bridge reports the end of a stream. */
export const LARGE_BYTES = 65_536;

/** What one or several responses hold: the same object is counted once. */
export interface Chunk {
  readonly byteLength: number;
}

/** Bytes of a response that count until they are released. */
export interface HeldBytes {
  /** Corrects the count to the actual number of bytes. */
  become(bytes: number): void;
  /** As `become`, before the response is complete. Returns false, and changes nothing, if there is no capacity. */
  grow(bytes: number): boolean;
  /** Releases the bytes. May be called twice. */
  release(): void;
}

/** Counts the bytes of unread responses of this caller and of all; `free` is the lesser of what is left of both. */
export function createResponseBytes(
  count: (state: CallerState, bytes: number) => void,
  free: (state: CallerState) => number,
) {
  return {
    /** Counts bytes, even beyond the limit. */
    take(state: CallerState, asked: number): HeldBytes {
      let mine = 0;
      let over = false;
      const become = (bytes: number): void => {
        if (over) return;
        const more = bytes - mine;
        mine = bytes;
        count(state, more);
      };
      become(asked);
      return {
        become,
        grow(bytes) {
          if (free(state) + mine <= 0) return false;
          become(bytes);
          return true;
        },
        release() {
          become(0);
          over = true;
        },
      };
    },
    /** Counts a chunk of several responses once. Returns a release that may be called twice; `undefined`: no room. */
    share(state: CallerState, chunk: Chunk): (() => void) | undefined {
      const shared = state.chunks.get(chunk) ?? { holders: 0 };
      if (shared.holders === 0) {
        if (free(state) <= 0) return undefined;
        count(state, chunk.byteLength);
        state.chunks.set(chunk, shared);
      }
      shared.holders += 1;
      let mine = true;
      return () => {
        if (!mine) return;
        mine = false;
        shared.holders -= 1;
        if (shared.holders > 0) return;
        state.chunks.delete(chunk);
        count(state, -chunk.byteLength);
      };
    },
  };
}
