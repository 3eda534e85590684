import { describe, expect, it } from 'vitest';
import { CallerActivity, createScheduler } from '../../../src/limits/scheduler.js';
import { fakeLoop } from './loop.js';

const activity = (unknown = false): CallerActivity => new CallerActivity(unknown);

/** Turns in which every piece of work takes so long. */
function bench(workMs: number) {
  const loop = fakeLoop();
  let served = 0;
  const scheduler = createScheduler({
    ...loop,
    hasLongQueue: () => false,
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
  return { ...loop, scheduler, inTurns };
}

describe('waiting work', () => {
  it('starts for 5 ms in a turn of the event loop if one caller is active', async () => {
    const { scheduler, inTurns } = bench(1);
    scheduler.mayBegin(activity());
    scheduler.wake();
    expect(await inTurns(3)).toEqual([1, 5, 5]);
  });

  it('starts for 0.2 ms in a turn if several are', async () => {
    const { scheduler, inTurns } = bench(0.0625);
    scheduler.mayBegin(activity());
    scheduler.mayBegin(activity());
    scheduler.wake();
    expect(await inTurns(3)).toEqual([1, 4, 4]);
  });

  it('is at most 64 pieces in a turn of one caller, and 8 of several, however short they are', async () => {
    const alone = bench(0.001);
    alone.scheduler.mayBegin(activity());
    alone.scheduler.wake();
    expect(await alone.inTurns(3)).toEqual([1, 64, 64]);
    const several = bench(0.001);
    several.scheduler.mayBegin(activity());
    several.scheduler.mayBegin(activity());
    several.scheduler.wake();
    expect(await several.inTurns(3)).toEqual([1, 8, 8]);
  });
});

describe('work that starts as it arrives', () => {
  it('is one piece per caller and turn if several are active', async () => {
    const { scheduler, turn } = bench(0);
    const [jane, bob] = [activity(), activity()];
    scheduler.mayBegin(jane);
    expect([scheduler.mayBegin(bob), scheduler.mayBegin(bob), scheduler.mayBegin(jane)]).toEqual([true, false, false]);
    await turn();
    expect([scheduler.mayBegin(bob), scheduler.mayBegin(bob)]).toEqual([true, false]);
  });

  it("is unlimited for one caller again two seconds after the other's last request", async () => {
    for (const [ms, alone] of [
      [1_999, false],
      [2_000, true],
    ] as const) {
      const { scheduler, clock, turn } = bench(0);
      const [jane, bob] = [activity(), activity()];
      scheduler.mayBegin(bob);
      scheduler.mayBegin(jane);
      clock.advance(ms);
      await turn();
      expect([ms, scheduler.mayBegin(jane), scheduler.mayBegin(jane)]).toEqual([ms, true, alone]);
    }
  });

  it('is shared with no caller whose last request was two seconds ago', () => {
    for (const [ms, shared] of [
      [1_999, true],
      [2_000, false],
    ] as const) {
      const { scheduler, clock } = bench(0);
      scheduler.mayBegin(activity());
      clock.advance(ms);
      scheduler.mayBegin(activity());
      expect([ms, scheduler.areShared()]).toEqual([ms, shared]);
    }
  });

  it('makes an unauthenticated client active at its 50th request within two seconds', () => {
    for (const [heard, active] of [
      [49, false],
      [50, true],
    ] as const) {
      const { scheduler } = bench(0);
      const [jane, probe] = [activity(), activity(true)];
      scheduler.mayBegin(jane);
      for (let index = 0; index < heard; index += 1) scheduler.mayBegin(probe);
      scheduler.mayBegin(jane);
      expect([heard, scheduler.mayBegin(jane)]).toEqual([heard, !active]);
    }
  });
});

it('an unauthenticated client that sends few requests at a time is not active, for however long', () => {
  const { clock, scheduler } = bench(1);
  const [jane, probe] = [activity(), activity(true)];
  for (let sent = 0; sent < 500; sent += 1) {
    clock.advance(100);
    scheduler.mayBegin(jane);
    scheduler.mayBegin(probe);
  }
  expect(scheduler.areShared()).toBe(false);
});
