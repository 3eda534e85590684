/** The bytes of one slab. At a million events a buffer each costs 340 MB more than slabs, and pauses of 100 ms. */
const SLAB_BYTES = 1_048_576;
/** What is larger than this part of a slab gets one of its own, so that no slab ends with a large gap. */
const LARGE = 1 / 8;
/** How many tenants of a sparse slab are looked at for each that leaves, and one more for so many bytes. */
const LOOKS_PER_RELEASE = 4;
const BYTES_PER_LOOK = 1024;
const LOOKS_PER_COMPACT = 32;
/** A slab is emptied when less than this part is live, and where room is short. */
const SPARSE = 1 / 2;
const SPARSE_WHEN_SHORT = 7 / 8;

/** A piece of memory with the bytes of many tenants. It stays valid, and unchanged, for as long as anybody holds it. */
export interface Slab {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The bytes given out, and those of tenants that are still there. */
  used: number;
  live: number;
  /** Everyone who came, also those who have left or moved since. */
  tenants: readonly object[];
  closed: boolean;
  sparse: boolean;
}

/** How slabs reach the place that a tenant remembers. */
export interface Tenancy<T extends object> {
  slabOf(tenant: T): Slab;
  offsetOf(tenant: T): number;
  sizeOf(tenant: T): number;
  /** False once it was released. */
  isLive(tenant: T): boolean;
  move(tenant: T, slab: Slab, offset: number): void;
}

/** What the slabs hold at the moment, in bytes. */
export interface SlabUsage {
  readonly slabs: number;
  readonly allocated: number;
  readonly used: number;
  readonly live: number;
}

/**
 * Places for bytes, in slabs of 1 MiB. There is one open slab for each class, because what dies together should lie
 * together (with one slab for all, 5 % of events that live ten times longer make it 4.8 times the memory). A slab goes
 * when its last tenant leaves. One that is closed and less than half live is emptied: whenever somebody leaves, a few of
 * its tenants move, so that no more is ever copied than has died, and nothing for long. An emptied buffer is left to the
 * garbage collector and not used again, because records handed out earlier may still show what is in it.
 */
export interface Slabs<T extends object> {
  /** A slab with room for `size` bytes at `slab.used`. Follow with `settle`, after the bytes were written. */
  room(size: number, kind: number): Slab;
  /** Notes that the tenant (its place is set already) takes the next `size` bytes. */
  settle(slab: Slab, tenant: T, size: number): void;
  /** The tenant, which is not live any more, leaves. */
  release(tenant: T): void;
  usage(): SlabUsage;
  allocated(): number;
  /**
   * Where room is short: moves a few tenants together, also out of slabs that are only somewhat sparse. False when there is
   * nothing to gain.
   */
  compact(): boolean;
}

function createSlab(size: number): Slab {
  const buffer = new ArrayBuffer(size);
  const bytes = new Uint8Array(buffer);
  return { bytes, view: new DataView(buffer), used: 0, live: 0, tenants: [], closed: false, sparse: false };
}

/** Makes slabs. `survivors` is the class that tenants of emptied slabs move to. `slabBytes`: smaller ones for a small store. */
export function createSlabs<T extends object>(
  tenancy: Tenancy<T>,
  survivors: number,
  slabBytes: number = SLAB_BYTES,
): Slabs<T> {
  const large = slabBytes * LARGE;
  const open: (Slab | undefined)[] = [];
  const sparse: Slab[] = [];
  /** All of them, in no order that matters. */
  const all = new Set<Slab>();
  /** The next tenant to look at in the first sparse slab. */
  let looked = 0;
  let allocated = 0;
  let used = 0;
  let live = 0;

  const create = (size: number): Slab => {
    allocated += size;
    const slab = createSlab(size);
    all.add(slab);
    return slab;
  };

  const drop = (slab: Slab): void => {
    all.delete(slab);
    allocated -= slab.bytes.length;
    used -= slab.used;
    // Whoever holds a record holds its slab, and should not hold all its neighbours, wherever they are now.
    slab.tenants = [];
    slab.sparse = false;
  };

  const markSparse = (slab: Slab): void => {
    slab.sparse = true;
    sparse.push(slab);
  };

  /** Looks whether a slab is worth keeping. */
  const judge = (slab: Slab): void => {
    if (!slab.closed) return;
    if (slab.live === 0) {
      if (!slab.sparse) drop(slab);
    } else if (!slab.sparse && slab.live < slab.used * SPARSE) markSparse(slab);
  };

  const close = (slab: Slab): void => {
    slab.closed = true;
    judge(slab);
  };

  const room = (size: number, kind: number): Slab => {
    if (size > large) {
      const slab = create(size);
      slab.closed = true;
      return slab;
    }
    const current = open[kind];
    if (current !== undefined && current.used + size <= slabBytes) return current;
    const next = create(slabBytes);
    open[kind] = next;
    if (current !== undefined) close(current);
    return next;
  };

  const settle = (slab: Slab, tenant: T, size: number): void => {
    slab.used += size;
    slab.live += size;
    used += size;
    live += size;
    (slab.tenants as T[]).push(tenant);
  };

  const leave = (slab: Slab, size: number): void => {
    slab.live -= size;
    live -= size;
    judge(slab);
  };

  const move = (tenant: T, from: Slab): void => {
    const size = tenancy.sizeOf(tenant);
    const offset = tenancy.offsetOf(tenant);
    const to = room(size, survivors);
    to.bytes.set(from.bytes.subarray(offset, offset + size), to.used);
    tenancy.move(tenant, to, to.used);
    settle(to, tenant, size);
    leave(from, size);
  };

  const compact = (most: number): boolean => {
    for (let looks = 0; looks < most; looks++) {
      const [slab] = sparse;
      if (slab === undefined) return looks > 0;
      const tenant = (slab.tenants as readonly T[])[looked++];
      if (tenant === undefined || slab.live === 0) {
        sparse.shift();
        looked = 0;
        drop(slab);
      } else if (tenancy.isLive(tenant) && tenancy.slabOf(tenant) === slab) move(tenant, slab);
    }
    return true;
  };

  /** Finds a slab that is worth emptying where room is short. */
  const findSparse = (): boolean => {
    for (const slab of all) {
      if (!slab.closed || slab.sparse || slab.live >= slab.used * SPARSE_WHEN_SHORT) continue;
      markSparse(slab);
      return true;
    }
    return false;
  };

  return {
    room,
    settle,
    release(tenant) {
      const size = tenancy.sizeOf(tenant);
      leave(tenancy.slabOf(tenant), size);
      compact(LOOKS_PER_RELEASE + Math.floor(size / BYTES_PER_LOOK));
    },
    compact: () => (sparse.length > 0 || findSparse()) && compact(LOOKS_PER_COMPACT),
    allocated: () => allocated,
    usage: () => ({ slabs: all.size, allocated, used, live }),
  };
}
