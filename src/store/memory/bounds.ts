import type { MemoryStoreOptions } from './options.js';

const DEFAULT_HISTORY = 268_435_456;
const DEFAULT_LISTS = 33_554_432;
const DEFAULT_EVENT = 1_572_864;
const DEFAULT_ARENA = 1_048_576;

/** Default of `maxBytes` while V8's heap limit is not known. */
const UNKNOWN_LIMIT = 268_435_456;
/**
 * Fraction of the heap limit. Indexes are in the heap and event bytes outside it: half leaves room for requests and
 * garbage.
 */
const OF_HEAP = 1 / 2;
/** Upper bounds of the list cache and of one event, as fractions of `maxBytes`. */
const OF_LISTS = 1 / 16;
const OF_EVENT = 1 / 4;
/** `maxBytes` holds at least this many arenas, because each retention class has one that is not full. */
const ARENAS = 64;
const SMALLEST_ARENA = 65_536;

export interface Bounds {
  /** The limit for the total memory of the store. */
  maxBytes(): number;
  listCacheMaxBytes(): number;
  readonly historyMaxBytes: number;
  readonly maxEventBytes: number;
  readonly arenaBytes: number;
}

/**
 * Returns the limit of V8's heap in this process in bytes: the value of `--max-old-space-size`, or V8's own choice
 * based on the memory of the machine or container. `undefined` where it is not known.
 */
async function heapLimit(): Promise<number | undefined> {
  try {
    const { getHeapStatistics } = await import('node:v8');
    const { heap_size_limit: limit } = getHeapStatistics();
    return limit > 0 ? limit : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves the limits from the options, with defaults that are consistent with each other. */
export function createBounds(options: MemoryStoreOptions): Bounds {
  let most = options.maxBytes ?? UNKNOWN_LIMIT;
  if (options.maxBytes === undefined) {
    void heapLimit().then((limit) => {
      if (limit !== undefined) most = Math.floor(limit * OF_HEAP);
    });
  }
  const { listCacheMaxBytes, historyMaxBytes = DEFAULT_HISTORY, maxEventBytes } = options;
  const share = Math.max(SMALLEST_ARENA, Math.floor(most / ARENAS));
  return {
    maxBytes: () => most,
    listCacheMaxBytes: () => listCacheMaxBytes ?? Math.min(DEFAULT_LISTS, most * OF_LISTS),
    historyMaxBytes,
    maxEventBytes: maxEventBytes ?? Math.min(DEFAULT_EVENT, Math.floor(most * OF_EVENT)),
    arenaBytes: Math.min(DEFAULT_ARENA, share),
  };
}
