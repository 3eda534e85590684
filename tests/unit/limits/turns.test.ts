import { describe, expect, it } from 'vitest';
import { createTurns, type Share } from '../../../src/limits/turns.js';
import { fakeLoop } from './loop.js';

const share = (unknown = false): Share => ({ turn: -1, begun: 0, heardAt: 0, unknown, heard: 0, countedFrom: 0 });

/** Turns in which every piece of work takes so long. */
function bench(workMs: number) {
  const loop = fakeLoop();
  let served = 0;
  const turns = createTurns({
    ...loop,
    isFlooded: () => false,
    serve: () => {
      served += 1;
      loop.clock.advance(workMs);
      return true;
    },
  });
  /** How many pieces of waiting work begin in each of so many turns. */
  const inTurns = async (count: number): Promise<number[]> => {
    const each: number[] = [];
    for (let turn = 0; turn < count; turn += 1) {
      const before = served;
      await loop.turn();
      each.push(served - before);
    }
    return each;
  };
  return { ...loop, turns, inTurns };
}

describe('work that waits', () => {
  it('begins for 5 ms in a turn where one caller is active', async () => {
    const { turns, inTurns } = bench(1);
    turns.mayBegin(share());
    turns.wake();
    expect(await inTurns(3)).toEqual([1, 5, 5]);
  });

  it('begins for 0.2 ms in a turn where several are', async () => {
    const { turns, inTurns } = bench(0.0625);
    turns.mayBegin(share());
    turns.mayBegin(share());
    turns.wake();
    expect(await inTurns(3)).toEqual([1, 4, 4]);
  });

  it('is 64 pieces in a turn of one caller, and 8 of several, however short they are', async () => {
    const alone = bench(0.001);
    alone.turns.mayBegin(share());
    alone.turns.wake();
    expect(await alone.inTurns(3)).toEqual([1, 64, 64]);
    const several = bench(0.001);
    several.turns.mayBegin(share());
    several.turns.mayBegin(share());
    several.turns.wake();
    expect(await several.inTurns(3)).toEqual([1, 8, 8]);
  });
});

describe('work that begins as it comes', () => {
  it('is one piece of each caller in a turn where several are active, and again in the next', async () => {
    const { turns, turn } = bench(0);
    const [jane, bob] = [share(), share()];
    turns.mayBegin(jane);
    expect([turns.mayBegin(bob), turns.mayBegin(bob), turns.mayBegin(jane)]).toEqual([true, false, false]);
    await turn();
    expect([turns.mayBegin(bob), turns.mayBegin(bob)]).toEqual([true, false]);
  });

  it('is that of one caller again two seconds after the other was heard of', async () => {
    for (const [ms, alone] of [
      [1_999, false],
      [2_000, true],
    ] as const) {
      const { turns, clock, turn } = bench(0);
      const [jane, bob] = [share(), share()];
      turns.mayBegin(bob);
      turns.mayBegin(jane);
      clock.advance(ms);
      await turn();
      expect([ms, turns.mayBegin(jane), turns.mayBegin(jane)]).toEqual([ms, true, alone]);
    }
  });

  it('makes a client that nobody knows active at its 50th request within two seconds', () => {
    for (const [heard, active] of [
      [49, false],
      [50, true],
    ] as const) {
      const { turns } = bench(0);
      const [jane, probe] = [share(), share(true)];
      turns.mayBegin(jane);
      for (let index = 0; index < heard; index += 1) turns.mayBegin(probe);
      turns.mayBegin(jane);
      expect([heard, turns.mayBegin(jane)]).toEqual([heard, !active]);
    }
  });
});
