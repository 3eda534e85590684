import { describe, expect, it, vi } from 'vitest';
import { createInFlightLimits, type Place } from '../../../src/limits/in-flight.js';
import type { InFlightLimitOptions } from '../../../src/limits/in-flight-options.js';
import { createCallerQueues } from '../../../src/limits/caller-queues.js';
import { heapGrowth } from '../../collect-garbage.js';
import { fakeLoop } from './loop.js';

const HERE = { aborted: false };
const caller = (name: string): { name: string; groups: string[] } => ({ name, groups: [] });

function bench(options: InFlightLimitOptions) {
  const loop = fakeLoop();
  const limits = createInFlightLimits(options, loop);
  const outcomes: string[] = [];
  const releases: (() => void)[] = [];
  /** Asks for a read, and records under this label what becomes of it. */
  const ask = (label: string, name: string): void => {
    const onPlace = (place: Place | undefined): void => {
      outcomes.push(`${label} ${place === undefined ? 'refused' : 'inside'}`);
      if (place !== undefined) releases.push(() => place.release());
    };
    const place = limits.enter('read', caller(name), HERE);
    if (place instanceof Promise) void place.then(onPlace);
    else onPlace(place);
  };
  return { ...loop, ask, outcomes, releases };
}

it('nothing of a header is kept that the name of a caller was cut from', async () => {
  const { ask } = bench({});
  const grown = await heapGrowth(() => {
    for (let i = 0; i < 9; i++) ask('', `a-caller-with-a-name-${i}${'x'.repeat(2_000_000)}`.slice(0, 22));
  });
  expect(grown).toBeLessThan(9_000_000);
});

describe('a waiting request', () => {
  it('is not overtaken by a later request of the same caller, although a place is free again', async () => {
    const { ask, outcomes, releases, turns } = bench({ reads: 8, readsPerCaller: 2 });
    ask('1', 'jane');
    ask('2', 'jane');
    ask('3', 'jane');
    ask('4', 'jane');
    for (const release of releases.splice(0)) release();
    ask('5', 'jane');
    expect(outcomes).toEqual(['1 inside', '2 inside']);
    await turns(4);
    expect(outcomes.slice(2)).toEqual(['3 inside', '4 inside']);
    for (const release of releases.splice(0)) release();
    await turns(4);
    expect(outcomes.slice(4)).toEqual(['5 inside']);
  });

  it('no longer counts as waiting once it has its place', async () => {
    const { ask, outcomes, releases, turns } = bench({ reads: 2, readsPerCaller: 2, queued: 2 });
    for (const label of ['1', '2', '3', '4']) ask(label, 'jane');
    for (const release of releases.splice(0)) release();
    await turns(4);
    expect(outcomes).toEqual(['1 inside', '2 inside', '3 inside', '4 inside']);
    for (const label of ['5', '6', '7']) ask(label, 'jane');
    await turns(4);
    expect(outcomes.slice(4)).toEqual(['7 refused']);
  });

  it('sets no timer once nothing waits', async () => {
    const { ask, clock, outcomes, releases, turns } = bench({ reads: 1 });
    const setTimer = vi.spyOn(clock, 'setTimer');
    ask('1', 'jane');
    ask('2', 'jane');
    clock.advance(1_000);
    expect(setTimer).toHaveBeenCalled();
    for (const release of releases.splice(0)) release();
    await turns(4);
    expect(outcomes).toEqual(['1 inside', '2 inside']);
    clock.advance(1_000);
    setTimer.mockClear();
    clock.advance(10_000);
    expect(setTimer).not.toHaveBeenCalled();
  });

  it('still counts as waiting after the queues were searched', async () => {
    const { ask, outcomes, clock, turns } = bench({ reads: 1, queued: 2 });
    ask('1', 'jane');
    ask('2', 'jane');
    clock.advance(1_000);
    await turns(4);
    ask('3', 'jane');
    await turns(4);
    expect(outcomes).toEqual(['1 inside']);
    ask('4', 'jane');
    await turns(4);
    expect(outcomes.slice(1)).toEqual(['4 refused']);
  });
});

describe('the kinds of work that wait', () => {
  const queues = () => {
    const loop = fakeLoop();
    const atNextTurn = vi.fn(loop.atNextTurn);
    const made = createCallerQueues({ ...loop, atNextTurn, waitMs: 5_000, free: () => 1, freeFor: () => 1 });
    const served: string[] = [];
    const wait = (kind: 'start' | 'bytes' | 'read' | 'write'): void =>
      void made.wait(kind, made.of('jane', false), HERE, () => served.push(kind));
    return { ...loop, atNextTurn, served, wait };
  };

  it('are served in turn, after the one that was served last', async () => {
    const { served, turns, wait } = queues();
    for (const kind of ['write', 'read', 'bytes', 'start'] as const) wait(kind);
    await turns(4);
    expect(served.splice(0)).toEqual(['bytes', 'read', 'write', 'start']);
    for (const kind of ['start', 'write', 'bytes'] as const) wait(kind);
    await turns(4);
    expect(served).toEqual(['bytes', 'write', 'start']);
  });

  it('request no turn of the event loop once nothing waits', async () => {
    const { atNextTurn, served, turns, wait } = queues();
    wait('read');
    wait('start');
    await turns(4);
    expect(served).toEqual(['read', 'start']);
    atNextTurn.mockClear();
    await turns(4);
    expect(atNextTurn).not.toHaveBeenCalled();
  });
});

describe('the queue of a caller', () => {
  const queues = () => {
    const loop = fakeLoop();
    const made = createCallerQueues({ ...loop, waitMs: 5_000, free: () => 1, freeFor: () => 1 });
    /** Adds as many callers as it takes for the queues of idle ones to be dropped. */
    const crowd = (name: string): void => {
      for (let index = 0; index < 1_000; index += 1) made.of(`${name}-${index}`, false);
    };
    return { ...loop, made, crowd };
  };

  it('is dropped when it was idle for two seconds and there are a thousand', () => {
    const { made, crowd, clock } = queues();
    const jane = made.of('jane', false);
    expect(made.of('jane', false)).toBe(jane);
    crowd('first');
    expect(made.of('jane', false)).toBe(jane);
    clock.advance(2_001);
    made.of('one more', false);
    expect(made.of('jane', false)).not.toBe(jane);
  });

  it('is kept when the last request of its caller came less than two seconds ago', () => {
    const { made, crowd, clock } = queues();
    const jane = made.of('jane', false);
    crowd('first');
    clock.advance(2_001);
    jane.lastRequestAt = clock.monotonic() - 1_000;
    made.of('one more', false);
    expect(made.of('jane', false)).toBe(jane);
  });

  it('is kept while it holds one place and waits for another', () => {
    const { made, crowd, clock } = queues();
    const jane = made.of('jane', false);
    jane.held.watch = 1;
    void made.wait('read', jane, HERE, () => undefined);
    crowd('first');
    clock.advance(2_001);
    made.of('one more', false);
    expect(made.of('jane', false)).toBe(jane);
  });

  it.each([
    ['holds a place', (state: { held: { read: number } }) => void (state.held.read = 1)],
    ['holds a watch', (state: { held: { watch: number } }) => void (state.held.watch = 1)],
  ])('is kept while it %s, and while a request waits in it', (_, hold) => {
    const { made, crowd, clock } = queues();
    const [jane, bob] = [made.of('jane', false), made.of('bob', false)];
    hold(jane);
    hold(bob);
    const nothing = (): void => undefined;
    bob.start.push({ requester: HERE, since: 0, enter: nothing, leave: nothing });
    crowd('first');
    clock.advance(2_001);
    made.of('one more', false);
    expect([made.of('jane', false), made.of('bob', false)]).toEqual([jane, bob]);
    expect(made.of('jane', false)).toBe(jane);
    expect(made.of('bob', false)).toBe(bob);
  });
});
