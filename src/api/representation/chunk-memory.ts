export const CHUNK_BYTES = 131_072;

/** Free chunks of each size: as many as the Node bridge's batch of responses holds before it releases the first. */
const MAX_FREE = 32;
/** Shorter responses get new memory, which costs less than a chunk that is not released. */
const SHORT = 4096;
/** Sizes are powers of two, from 8 KiB to {@link CHUNK_BYTES}. */
const SMALLEST_BITS = 13;
const SIZES = 5;

export interface PooledBytes {
  readonly bytes: Uint8Array;
  /** To be called once the bytes were sent and are not read again; if that is unknown, never. */
  readonly release: () => void;
}

export type ChunkMemory = ReturnType<typeof createChunkMemory>;

/**
 * Memory that lists are written to, at most 8 MiB in five sizes. A list of 28 kB costs 53 µs of CPU in reused memory,
 * and 97 to 180 if only one of 32 responses finds some: new memory costs page faults and collections.
 */
export function createChunkMemory() {
  const free: readonly Uint8Array[][] = Array.from({ length: SIZES }, () => []);
  const chunks = free[SIZES - 1] as Uint8Array[];
  /** Not every bridge can detect when bytes were sent. Memory that is never released should have no spare bytes. */
  let isReleased = false;

  const putBack = (pool: Uint8Array[], bytes: Uint8Array): void => {
    if (pool.length < MAX_FREE) pool.push(bytes);
  };

  return {
    /** A chunk that is not released is garbage-collected. */
    acquire: (): Uint8Array => chunks.pop() ?? new Uint8Array(CHUNK_BYTES),
    /** Releases an acquired chunk, once. It must not be used any more. */
    release: (chunk: Uint8Array): void => putBack(chunks, chunk),
    allocate(length: number): Uint8Array | PooledBytes {
      if (length < SHORT) return new Uint8Array(length);
      const index = 32 - Math.clz32((length - 1) >>> SMALLEST_BITS);
      const pool = free[index] as Uint8Array[];
      const size = 1 << (SMALLEST_BITS + index);
      const whole = pool.pop() ?? new Uint8Array(isReleased ? size : length);
      let isHeld = true;
      const release = (): void => {
        if (!isHeld) return;
        isHeld = false;
        isReleased = true;
        if (whole.length === size) putBack(pool, whole);
      };
      return { bytes: whole.length === length ? whole : whole.subarray(0, length), release };
    },
  };
}
