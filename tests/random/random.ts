/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** From 0 up to, and without, `below`. */
  readonly below: (below: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** From 0 up to, and without, 1. */
  readonly fraction: () => number;
}

/** mulberry32: 32 bits of state, good enough to choose what a test does next. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    fraction: () => next() / 2 ** 32,
  };
}
