/** A copy of a chunk for all watches that are sent the same. */
export interface SharedCopy {
  readonly bytes: Uint8Array;
  /** How many streams were given it. */
  takers: number;
}

/** See {@link createSharedCopies}. */
export type SharedCopies = ReturnType<typeof createSharedCopies>;

/**
 * Copies the chunks of watches, which no source writes to again. Watchers that are woken together are sent the same chunk
 * (decision 34), and need one copy of it. With a copy for each of a thousand, copying and collecting 32 KiB at a time were a
 * quarter of the CPU.
 */
export function createSharedCopies() {
  let chunk: Uint8Array | undefined;
  let last: SharedCopy | undefined;
  let sharing = true;
  return {
    /** The copy that the last caller was given, if the chunk is the same. */
    of(given: Uint8Array): SharedCopy {
      if (last === undefined || chunk !== given || !sharing || isTransferred(last)) {
        chunk = given;
        last = { bytes: new Uint8Array(given), takers: 0 };
      }
      last.takers += 1;
      return last;
    },
    /** Each caller gets its own copy from now on. */
    stopSharing(): void {
      sharing = false;
    },
  };
}

/** True when the buffer of a copy was transferred: it then has no bytes, and chunks are never empty. */
export function isTransferred({ bytes }: SharedCopy): boolean {
  return bytes.byteLength === 0;
}
