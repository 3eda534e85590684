/** Pseudo-random numbers: the same seed gives the same numbers. */
export interface Random {
  /** A whole number from 0 to `below`, exclusive. */
  readonly below: (below: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** From 0 to 1, exclusive. */
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
