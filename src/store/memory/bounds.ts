import { heapLimit } from './accounting/heap-limit.js';
import type { MemoryStoreOptions } from './options.js';

const DEFAULT_HISTORY = 268_435_456;
const DEFAULT_LISTS = 33_554_432;
const DEFAULT_EVENT = 1_572_864;
const DEFAULT_SLAB = 1_048_576;

/** What a store holds at most while V8's heap limit is not known. */
const UNKNOWN_LIMIT = 268_435_456;
/** Indexes are in the heap, event bytes beside it: half leaves room for both, for requests, and for garbage. */
const OF_HEAP = 1 / 2;
/** Parts of `maxBytes` that nothing else may take more of. */
const OF_LISTS = 1 / 16;
const OF_EVENT = 1 / 4;
/** So many slabs at least, because each class of retention has one that is not full. */
const SLABS = 64;
const SMALLEST_SLAB = 65_536;

/** How much a memory store may hold of everything, in bytes. */
export interface Bounds {
  /** Of everything together. */
  maxBytes(): number;
  listCacheMaxBytes(): number;
  readonly historyMaxBytes: number;
  readonly maxEventBytes: number;
  readonly slabBytes: number;
}

/** What the options say, and defaults that fit each other. */
export function createBounds(options: MemoryStoreOptions): Bounds {
  let most = options.maxBytes ?? UNKNOWN_LIMIT;
  if (options.maxBytes === undefined) {
    void heapLimit().then((limit) => {
      if (limit !== undefined) most = Math.floor(limit * OF_HEAP);
    });
  }
  const { listCacheMaxBytes, historyMaxBytes = DEFAULT_HISTORY, maxEventBytes } = options;
  const share = Math.max(SMALLEST_SLAB, Math.floor(most / SLABS));
  return {
    maxBytes: () => most,
    listCacheMaxBytes: () => listCacheMaxBytes ?? Math.min(DEFAULT_LISTS, most * OF_LISTS),
    historyMaxBytes,
    maxEventBytes: maxEventBytes ?? Math.min(DEFAULT_EVENT, Math.floor(most * OF_EVENT)),
    slabBytes: Math.min(DEFAULT_SLAB, share),
  };
}
