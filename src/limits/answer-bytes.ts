import type { CallerState } from './caller-queues.js';

/** Answers of more bytes are counted, and sent as streams: a stream has an end, whatever bridge it goes through. */
export const LARGE_BYTES = 65_536;

/** Bytes of an answer that count until they are given back. */
export interface HeldBytes {
  /** The answer has come to so many bytes, in place of those that were asked for. */
  become(bytes: number): void;
  /**
   * As `become`, where the answer is still being gathered. False: others of this caller, or of all, have taken what there
   * is, and nothing was changed.
   */
  grow(bytes: number): boolean;
  /** Harmless when called twice. */
  release(): void;
}

/** What {@link createAnswerBytes} works with. */
export interface AnswerBytesParts {
  /** Counts so many bytes more, or less, for this caller and in all. */
  readonly count: (state: CallerState, bytes: number) => void;
  /** Bytes that are free for this caller, and in all: the lesser of both. */
  readonly free: (state: CallerState) => number;
}

/** Counts the bytes of answers that their clients have not taken. */
export interface AnswerBytes {
  /** Counts bytes, whether there is room or not. */
  take(state: CallerState, bytes: number): HeldBytes;
  /**
   * Counts a chunk that other answers to this caller may hold as well, once for all of them. `undefined`: there is no room.
   * What comes back gives it back, and is harmless when called twice.
   */
  share(state: CallerState, chunk: Uint8Array): (() => void) | undefined;
}

/** Makes the {@link AnswerBytes} of one server. */
export function createAnswerBytes({ count, free }: AnswerBytesParts): AnswerBytes {
  const take = (state: CallerState, asked: number): HeldBytes => {
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
  };
  return {
    take,
    share(state, chunk) {
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
