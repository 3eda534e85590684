/** Size of an arena in bytes. One buffer per event would cost 340 MB more at a million events, and pauses of 100 ms. */
export const ARENA_BYTES = 1_048_576;
/** An entry larger than this fraction of an arena gets an arena of its own, so that no arena ends with a large gap. */
const LARGE = 1 / 8;
/** Entries of a sparse arena that are examined per released entry, plus one for each `BYTES_PER_SCAN` released. */
const SCANS_PER_RELEASE = 4;
const BYTES_PER_SCAN = 1024;
const SCANS_PER_COMPACT = 32;
/** An arena is compacted when less than this fraction is live; the second applies when the store is short of memory. */
const SPARSE = 1 / 2;
const SPARSE_WHEN_SHORT = 7 / 8;

/** A buffer with the bytes of many entries. It stays valid and unchanged for as long as it is referenced. */
export interface Arena {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Bytes allocated to entries, and the part of them that belongs to live entries. */
  used: number;
  live: number;
  /** In order of addition; `undefined` stands for one that was released or moved. */
  entries: (object | undefined)[];
  closed: boolean;
  sparse: boolean;
}

/** How arenas read and update the location that an entry stores. */
export interface EntryAccess<T extends object> {
  arenaOf(entry: T): Arena;
  offsetOf(entry: T): number;
  sizeOf(entry: T): number;
  move(entry: T, arena: Arena, offset: number): void;
}

export type ArenaUsage = Readonly<Record<'arenas' | 'allocated' | 'used' | 'live', number>>;

/**
 * Allocates bytes in arenas of 1 MiB. Each retention class has one open arena, so that entries that expire together
 * share arenas (with a single one, 5 % of events that live ten times longer take 4.8 times the memory). A closed arena
 * that is less than half live is compacted: each release moves a few of its entries, so that no call takes long. A
 * dropped buffer is not reused, because earlier records may read from it.
 *
 * `survivors`: the class that moved entries belong to. `arenaBytes`: a smaller arena size for a small store.
 */
export function createArenas<T extends object>(
  access: EntryAccess<T>,
  survivors: number,
  arenaBytes: number = ARENA_BYTES,
) {
  const large = arenaBytes * LARGE;
  const open: (Arena | undefined)[] = [];
  const sparse: Arena[] = [];
  const all = new Set<Arena>();
  /** Index of the next entry to examine in the first sparse arena. */
  let nextIndex = 0;
  let allocated = 0;

  const create = (size: number): Arena => {
    allocated += size;
    const bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    const arena: Arena = { bytes, view, used: 0, live: 0, entries: [], closed: false, sparse: false };
    all.add(arena);
    return arena;
  };

  const drop = (arena: Arena): void => {
    all.delete(arena);
    allocated -= arena.bytes.length;
    // A retained record keeps its arena in memory; it should not keep the other entries as well.
    arena.entries = [];
    arena.sparse = false;
  };

  /** Drops a closed arena without live entries, or queues one less than `limit` live. Returns whether it did. */
  const dropOrMarkSparse = (arena: Arena, limit: number): boolean => {
    if (!arena.closed || arena.sparse || arena.live >= arena.used * limit) return false;
    if (arena.live === 0) drop(arena);
    else {
      arena.sparse = true;
      sparse.push(arena);
    }
    return true;
  };

  const reserve = (size: number, kind: number): Arena => {
    if (size > large) {
      const arena = create(size);
      arena.closed = true;
      return arena;
    }
    const current = open[kind];
    if (current !== undefined && current.used + size <= arenaBytes) return current;
    const next = create(arenaBytes);
    open[kind] = next;
    if (current !== undefined) {
      current.closed = true;
      dropOrMarkSparse(current, SPARSE);
    }
    return next;
  };

  const commit = (arena: Arena, entry: T, size: number): void => {
    arena.used += size;
    arena.live += size;
    arena.entries.push(entry);
  };

  const free = (arena: Arena, entry: T, size: number): void => {
    arena.live -= size;
    // The memory of the entry itself, such as its labels, is not counted any more.
    arena.entries[arena.entries.indexOf(entry)] = undefined;
    dropOrMarkSparse(arena, SPARSE);
  };

  const move = (entry: T, from: Arena): void => {
    const size = access.sizeOf(entry);
    const offset = access.offsetOf(entry);
    const to = reserve(size, survivors);
    to.bytes.set(from.bytes.subarray(offset, offset + size), to.used);
    access.move(entry, to, to.used);
    commit(to, entry, size);
    free(from, entry, size);
  };

  const compact = (max: number): boolean => {
    for (let scans = 0; scans < max; scans++) {
      const [arena] = sparse;
      if (arena === undefined) return scans > 0;
      if (nextIndex === arena.entries.length || arena.live === 0) {
        sparse.shift();
        nextIndex = 0;
        drop(arena);
        continue;
      }
      const entry = arena.entries[nextIndex++] as T | undefined;
      if (entry !== undefined) move(entry, arena);
    }
    return true;
  };

  const findSparse = (): boolean => {
    for (const arena of all) if (dropOrMarkSparse(arena, SPARSE_WHEN_SHORT)) return true;
    return false;
  };

  return {
    /** An arena with `size` free bytes at `arena.used`. Write the bytes there, then call `commit`. */
    reserve: (size: number, kind: number): Arena => reserve(size, kind),
    /** Records that the entry, whose location is set already, takes the next `size` bytes. */
    commit: (arena: Arena, entry: T, size: number): void => commit(arena, entry, size),
    release(entry: T): void {
      const size = access.sizeOf(entry);
      free(access.arenaOf(entry), entry, size);
      compact(SCANS_PER_RELEASE + Math.floor(size / BYTES_PER_SCAN));
    },
    /** Compacts when the store is short of memory, also slightly sparse arenas. False when nothing can be gained. */
    compact: (): boolean => (sparse.length > 0 || findSparse()) && compact(SCANS_PER_COMPACT),
    allocated: (): number => allocated,
    usage(): ArenaUsage {
      const sum = (part: 'used' | 'live'): number => [...all].reduce((total, arena) => total + arena[part], 0);
      return { arenas: all.size, allocated, used: sum('used'), live: sum('live') };
    },
  };
}
