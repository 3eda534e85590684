/** Bytes of one chunk of a list. */
export const CHUNK_BYTES = 131_072;

/** How many free chunks are kept. A chunk is lent for a moment only, unless the client reads slowly: few are enough. */
const KEPT = 16;
/** An answer that is shorter has memory of its own: it costs less than a chunk that is not given back. */
const SHORT = 4096;

/** Bytes of an answer in memory that serves again: `release`, called once they were sent, is all it takes. */
export interface LentBytes {
  readonly bytes: Uint8Array;
  /** The bytes were sent, and nobody looks at them again. Never to be called by who is not sure: it may be left out. */
  readonly release: () => void;
}

/**
 * The memory lists are written to. New memory for every answer costs page faults and collections: in the experiments
 * lists of 28 kB came to 0.44–0.67 of the floor's rate that way, and to 0.83 in memory that is used again.
 */
export interface ChunkMemory {
  /** A chunk of {@link CHUNK_BYTES}. Whoever does not give it back leaves it to the garbage collector. */
  take(): Uint8Array;
  /** Gives back what was taken, once. Nobody may hold it any more. */
  give(chunk: Uint8Array): void;
  /** Lends room for a body of up to {@link CHUNK_BYTES}, where those before were given back. */
  lend(length: number): Uint8Array | LentBytes;
}

/** Makes an empty {@link ChunkMemory}. It holds 2 MiB at most. */
export function createChunkMemory(): ChunkMemory {
  const free: Uint8Array[] = [];

  const give = (chunk: Uint8Array): void => {
    if (free.length < KEPT) free.push(chunk);
  };

  return {
    take: () => free.pop() ?? new Uint8Array(CHUNK_BYTES),
    give,
    lend(length) {
      if (length < SHORT) return new Uint8Array(length);
      // What never comes back (not every bridge can tell when bytes were sent) should be no longer than it must.
      let chunk = free.pop();
      const bytes = chunk === undefined ? new Uint8Array(length) : chunk.subarray(0, length);
      let lent = true;
      const release = (): void => {
        if (!lent) return;
        lent = false;
        chunk ??= free.length === 0 ? new Uint8Array(CHUNK_BYTES) : undefined;
        if (chunk !== undefined) give(chunk);
      };
      return { bytes, release };
    },
  };
}
