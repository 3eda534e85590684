import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createArenas, type Arena } from '../../../../../src/store/memory/bytes/arenas.js';

const ARENA = 1000;
const SURVIVORS = 2;

interface Entry {
  readonly size: number;
  readonly value: number;
  arena: Arena;
  offset: number;
  live: boolean;
  moves: number;
}

const access = {
  arenaOf: (entry: Entry) => entry.arena,
  offsetOf: (entry: Entry) => entry.offset,
  sizeOf: (entry: Entry) => entry.size,
  move(entry: Entry, arena: Arena, offset: number) {
    entry.arena = arena;
    entry.offset = offset;
    entry.moves++;
  },
};

type Arenas = ReturnType<typeof createArenas<Entry>>;

const create = (): Arenas => createArenas<Entry>(access, SURVIVORS, ARENA);

function add(arenas: Arenas, size: number, kind: number, value: number): Entry {
  const arena = arenas.reserve(size, kind);
  const entry = { size, value, arena, offset: arena.used, live: true, moves: 0 };
  arena.bytes.fill(value, arena.used, arena.used + size);
  arenas.commit(arena, entry, size);
  return entry;
}

function release(arenas: Arenas, entry: Entry): void {
  entry.live = false;
  arenas.release(entry);
}

const isIntact = ({ arena, offset, size, value }: Entry): boolean =>
  arena.bytes.subarray(offset, offset + size).every((byte) => byte === value);

describe('arenas', () => {
  test('keep no reference to an entry that was released', () => {
    const arenas = create();
    const [first, second] = [add(arenas, 100, 0, 1), add(arenas, 100, 0, 2)] as const;
    release(arenas, first);
    expect(second.arena.entries).not.toContain(first);
    expect(second.arena.entries).toContain(second);
  });

  test('keep and count the bytes of entries, after any sequence of additions, releases and compactions', () => {
    const sequence = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ add: fc.integer({ min: 1, max: 200 }), kind: fc.integer({ min: 0, max: 1 }) }),
      },
      { weight: 5, arbitrary: fc.record({ release: fc.nat() }) },
      { weight: 1, arbitrary: fc.constant({ compact: true }) },
    );
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 300, size: 'max' }), (sequences) => {
        const arenas = create();
        const live: Entry[] = [];
        const gone: { entry: Entry; arena: Arena; offset: number }[] = [];
        sequences.forEach((what, i) => {
          if ('add' in what) live.push(add(arenas, what.add, what.kind, i % 251));
          else if ('compact' in what) arenas.compact();
          else if (live.length > 0) {
            const [entry] = live.splice(what.release % live.length, 1) as [Entry];
            gone.push({ entry, arena: entry.arena, offset: entry.offset });
            release(arenas, entry);
          }
          const used = new Set(live.map(({ arena }) => arena));
          const usage = arenas.usage();
          expect(usage.live).toBe(live.reduce((sum, { size }) => sum + size, 0));
          expect(usage.used).toBeGreaterThanOrEqual(usage.live);
          expect(usage.allocated).toBeGreaterThanOrEqual(usage.used);
          expect(usage.allocated).toBe(arenas.allocated());
          expect(usage.arenas).toBeGreaterThanOrEqual(used.size);
        });
        for (const entry of live) expect(isIntact(entry)).toBe(true);
        // Records of released entries still read from where they were.
        for (const { entry, arena, offset } of gone) expect(isIntact({ ...entry, arena, offset })).toBe(true);
        while (arenas.compact()) expect(live.every(isIntact)).toBe(true);
        for (const entry of live) release(arenas, entry);
        while (arenas.compact());
        // An open arena for each of the two classes and for survivors.
        const rest = arenas.usage();
        expect(rest.live).toBe(0);
        expect(rest.arenas).toBeLessThanOrEqual(3);
        expect(rest.allocated).toBe(rest.arenas * ARENA);
      }),
      { numRuns: 100 },
    );
  });

  test('include one of its own for an entry larger than an eighth of an arena, and the open one stays in use', () => {
    const arenas = create();
    const small = add(arenas, 100, 0, 1);
    const large = add(arenas, 126, 0, 2);
    expect(large.arena).not.toBe(small.arena);
    expect(large.arena.bytes.length).toBe(126);
    expect(add(arenas, 125, 0, 3).arena).toBe(small.arena);
    release(arenas, large);
    expect(arenas.usage()).toMatchObject({ arenas: 1, allocated: ARENA });
  });

  test('are separate for each class', () => {
    const arenas = create();
    expect(add(arenas, 10, 0, 1).arena).not.toBe(add(arenas, 10, 1, 1).arena);
    expect(arenas.usage().arenas).toBe(2);
  });

  test('are dropped with their last entry when they are full, and then refer to none', () => {
    const arenas = create();
    const entries = Array.from({ length: 10 }, () => add(arenas, 100, 0, 1));
    const next = add(arenas, 100, 0, 1);
    const [{ arena }] = entries as [Entry];
    expect(next.arena).not.toBe(arena);
    for (const entry of entries) release(arenas, entry);
    // The last few were moved before they were released.
    expect(arenas.usage()).toMatchObject({ arenas: 2, live: 100 });
    expect(arena.entries).toEqual([]);
  });

  test('are compacted by releases when less than half of them is live, and not before', () => {
    const arenas = create();
    const entries = Array.from({ length: 20 }, () => add(arenas, 50, 0, 1));
    add(arenas, 50, 0, 1);
    const kept = entries.slice(10);
    for (const entry of entries.slice(0, 10)) release(arenas, entry);
    expect(kept.every(({ moves }) => moves === 0)).toBe(true);
    expect(arenas.usage().arenas).toBe(2);
    release(arenas, kept.pop() as Entry);
    const another = Array.from({ length: 20 }, () => add(arenas, 50, 0, 1));
    for (let i = 0; i < 4; i++) release(arenas, another.pop() as Entry);
    expect(kept.every(({ moves }) => moves === 1)).toBe(true);
    expect(new Set(kept.map(({ arena }) => arena)).size).toBe(1);
    expect(kept.every(isIntact)).toBe(true);
  });

  test('are compacted faster by a release of many bytes: it examines one more entry for each KiB', () => {
    const moved = (size: number): number => {
      const arenas = createArenas<Entry>(access, SURVIVORS, 1_000_000);
      const entries = Array.from({ length: 1000 }, () => add(arenas, 1000, 0, 1));
      add(arenas, 1000, 0, 1);
      const large = add(arenas, size, 1, 1);
      // The arena becomes sparse with the 501st release; each release examines released entries first.
      for (const entry of entries.slice(0, 501)) release(arenas, entry);
      const before = entries.filter(({ moves }) => moves > 0).length;
      release(arenas, large);
      release(arenas, add(arenas, 10, 1, 1));
      for (let i = 0; i < 125; i++) release(arenas, add(arenas, 10, 1, 1));
      return entries.filter(({ moves }) => moves > 0).length - before;
    };
    expect(moved(120_000) - moved(10)).toBe(Math.floor(120_000 / 1024));
  });

  test('are compacted on request when less than seven eighths of them is live', () => {
    const arenas = create();
    const entries = Array.from({ length: 20 }, () => add(arenas, 50, 0, 1));
    add(arenas, 50, 0, 1);
    release(arenas, entries[0] as Entry);
    release(arenas, entries[1] as Entry);
    expect(arenas.compact()).toBe(false);
    release(arenas, entries[2] as Entry);
    expect(arenas.compact()).toBe(true);
    while (arenas.compact());
    expect(entries.slice(3).every((entry) => entry.moves === 1 && isIntact(entry))).toBe(true);
    expect(arenas.compact()).toBe(false);
  });
});
