import { ARENA_BYTES } from './bytes/arenas.js';
import type { MemoryStoreOptions } from './options.js';

const DEFAULT_HISTORY = 268_435_456;
const DEFAULT_LISTS = 33_554_432;
const DEFAULT_EVENT = 1_572_864;

/** Default of `maxBytes` while the limits of the process are not known. */
const UNKNOWN_LIMIT = 268_435_456;
/** Fraction of the heap limit: half leaves room for requests and garbage. Event bytes are outside the heap. */
const OF_HEAP = 1 / 2;
/** Fraction of the container's memory: V8's heap limit is at least 256 MiB, however small the container is. */
const OF_CONTAINER = 1 / 4;
/** Upper bounds of the list cache and of one event, as fractions of `maxBytes`. */
const OF_LISTS = 1 / 16;
const OF_EVENT = 1 / 4;
/** `maxBytes` holds at least this many arenas, because each retention class has one that is not full. */
const ARENAS = 64;
const SMALLEST_ARENA = 65_536;

export interface Bounds {
  maxBytes(): number;
  listCacheMaxBytes(): number;
  readonly historyMaxBytes: number;
  readonly maxEventBytes: number;
  readonly arenaBytes: number;
}

/** The default of `maxBytes` in this process. */
async function ofProcess(): Promise<number> {
  try {
    const { getHeapStatistics } = await import('node:v8');
    const { process } = globalThis as { readonly process?: { constrainedMemory?(): number } };
    // 0 or a huge number without a limit.
    const container = process?.constrainedMemory?.() || Infinity;
    return (
      Math.floor(Math.min(getHeapStatistics().heap_size_limit * OF_HEAP, container * OF_CONTAINER)) || UNKNOWN_LIMIT
    );
  } catch {
    return UNKNOWN_LIMIT;
  }
}

export function createBounds(options: MemoryStoreOptions): Bounds {
  let most = options.maxBytes ?? UNKNOWN_LIMIT;
  if (options.maxBytes === undefined) {
    void ofProcess().then((limit) => {
      most = limit;
    });
  }
  const { listCacheMaxBytes, historyMaxBytes = DEFAULT_HISTORY, maxEventBytes } = options;
  return {
    maxBytes: () => most,
    listCacheMaxBytes: () => listCacheMaxBytes ?? Math.min(DEFAULT_LISTS, most * OF_LISTS),
    historyMaxBytes,
    maxEventBytes: maxEventBytes ?? Math.min(DEFAULT_EVENT, Math.floor(most * OF_EVENT)),
    arenaBytes: Math.min(ARENA_BYTES, Math.max(SMALLEST_ARENA, Math.floor(most / ARENAS))),
  };
}
