import { describe, expect, it } from 'vitest';
import {
  createInFlightLimits,
  type InFlightLimits,
  type Place,
  type PlaceKind,
} from '../../../src/limits/in-flight.js';
import { inFlightLimits, type InFlightLimitOptions } from '../../../src/limits/in-flight-options.js';
import { tooManyRequestsText } from '../../../src/responses/fixed-responses.js';
import type { Caller } from '../../../src/model/caller.js';
import { fakeLoop, type FakeLoop } from './loop.js';

const jane = { name: 'jane', groups: ['system:authenticated'] };
const bob = { name: 'bob', groups: ['system:authenticated'] };
const admin = { name: 'admin', groups: ['system:masters'] };
const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const HERE = { aborted: false };

interface Bench extends FakeLoop {
  readonly limits: InFlightLimits;
  /** Asks for a place; what has come of it so far is in `outcome`. */
  ask(kind: PlaceKind, caller: Caller, client?: { aborted: boolean; remoteAddress?: string }): Asked;
}

interface Asked {
  outcome: 'waits' | 'refused' | 'inside';
  readonly release: () => void;
  readonly streams: () => void;
}

function bench(options: InFlightLimitOptions = {}): Bench {
  const loop = fakeLoop();
  const limits = createInFlightLimits(options, loop);
  return {
    ...loop,
    limits,
    ask(kind, caller, client = HERE) {
      let held: Place | undefined;
      const asked: Asked = { outcome: 'waits', release: () => held?.release(), streams: () => held?.streams() };
      const onPlace = (given: Place | undefined): void => {
        held = given;
        asked.outcome = given === undefined ? 'refused' : 'inside';
      };
      const place = limits.enter(kind, caller, client);
      if (place instanceof Promise) void place.then(onPlace);
      else onPlace(place);
      return asked;
    },
  };
}

const outcomes = (all: readonly Asked[]): string[] => all.map(({ outcome }) => outcome);

describe('places in flight', () => {
  it('are counted separately for reads and writes, and a request that finds none waits', async () => {
    const { ask, turns } = bench({ reads: 1, writes: 1 });
    const first = ask('read', jane);
    const second = ask('read', bob);
    expect(ask('write', bob).outcome).toBe('waits');
    await turns(3);
    expect(second.outcome).toBe('waits');
    first.release();
    expect(second.outcome).toBe('waits');
    await turns(2);
    expect(second.outcome).toBe('inside');
  });

  it('are freed once, however often they are released', async () => {
    const { ask, turns } = bench({ reads: 2, readsPerCaller: 2 });
    const first = ask('read', jane);
    ask('read', jane);
    const waiting = [ask('read', jane), ask('read', jane)];
    first.release();
    first.release();
    await turns(3);
    expect(outcomes(waiting)).toEqual(['inside', 'waits']);
  });

  it('are freed by a response that has streamed, too, for the request that waits', async () => {
    const { ask, turns } = bench({ reads: 1 });
    const list = ask('read', jane);
    const next = ask('read', jane);
    list.streams();
    await turns(3);
    expect(next.outcome).toBe('waits');
    list.release();
    await turns(2);
    expect(next.outcome).toBe('inside');
  });

  it('are never all used by one caller', async () => {
    const { ask, turns } = bench({ reads: 4, writes: 2 });
    const reads = Array.from({ length: 8 }, () => ask('read', jane));
    const writes = Array.from({ length: 4 }, () => ask('write', jane));
    await turns(10);
    expect(outcomes(reads).filter((outcome) => outcome === 'inside')).toHaveLength(2);
    expect(outcomes(writes).filter((outcome) => outcome === 'inside')).toHaveLength(1);
    const others = [ask('read', bob), ask('write', bob)];
    await turns(2);
    expect(outcomes(others)).toEqual(['inside', 'inside']);
  });

  it('go round-robin to the waiting callers, whoever came first', async () => {
    const { ask, turns } = bench({ reads: 2, readsPerCaller: 2 });
    const held = [ask('read', admin), ask('read', jane), ask('read', jane)];
    const ofJane = Array.from({ length: 20 }, () => ask('read', jane));
    const ofBob = [ask('read', bob), ask('read', bob)];
    for (const { release } of held) release();
    await turns(2);
    expect(outcomes([...held, ...ofJane]).filter((outcome) => outcome === 'inside')).toHaveLength(3);
    expect(outcomes(ofBob)).toEqual(['inside', 'waits']);
  });

  it('are never refused to system:masters, whose requests are not counted', async () => {
    const { ask, turns } = bench({ reads: 1, queuedPerCaller: 1 });
    const all = Array.from({ length: 50 }, () => ask('read', admin));
    await turns(20);
    expect(new Set(outcomes(all))).toEqual(new Set(['inside']));
    const read = ask('read', jane);
    await turns(2);
    expect(read.outcome).toBe('inside');
  });

  it('allow one of several active callers 16 reads and 32 writes in the store at once, without streams', async () => {
    const { ask, turns, clock } = bench();
    const settle = async (): Promise<void> => {
      for (let rest = 0; rest < 60; rest++) {
        clock.advance(1);
        await turns(2);
      }
    };
    ask('read', bob);
    const reads = Array.from({ length: 40 }, () => ask('read', jane));
    const writes = Array.from({ length: 60 }, () => ask('write', jane));
    const inside = (all: readonly Asked[]): Asked[] => all.filter(({ outcome }) => outcome === 'inside');
    await settle();
    expect([inside(reads).length, inside(writes).length]).toEqual([16, 32]);
    for (const { streams } of inside(reads)) streams();
    for (const { release } of inside(writes).slice(0, 8)) release();
    await settle();
    expect([inside(reads).length, inside(writes).length]).toEqual([32, 40]);
    // Two seconds after the last request of another caller all places are there again.
    clock.advance(2_000);
    inside(reads)[31]?.release();
    inside(writes)[39]?.release();
    await settle();
    expect([inside(reads).length, inside(writes).length]).toEqual([40, 60]);
  });

  it('have the defaults of Kubernetes in all, and half of them for one caller', async () => {
    const { ask, turns, clock } = bench();
    const reads = Array.from({ length: 201 }, () => ask('read', jane));
    const writes = Array.from({ length: 101 }, () => ask('write', jane));
    await turns(20);
    expect(outcomes(reads).filter((outcome) => outcome === 'waits')).toHaveLength(1);
    expect(outcomes(writes).filter((outcome) => outcome === 'waits')).toHaveLength(1);
    const ofBob = Array.from({ length: 200 }, () => ask('read', bob));
    for (let rest = 0; rest < 250; rest++) {
      clock.advance(1);
      await turns(2);
      for (const { streams } of ofBob) streams();
    }
    expect(outcomes(ofBob).filter((outcome) => outcome === 'waits')).toHaveLength(0);
    const last = ask('read', { name: 'third', groups: [] });
    await turns(5);
    expect(last.outcome).toBe('waits');
  });
});

describe('watches', () => {
  it('are limited in all and per caller, system:masters included, and never wait for a place', async () => {
    const { ask, turns } = bench({ watches: 3, watchesPerCaller: 2 });
    const first = ask('watch', jane);
    const more = [ask('watch', jane), ask('watch', jane), ask('watch', admin), ask('watch', bob)];
    await turns(4);
    expect(first.outcome).toBe('inside');
    expect(outcomes(more)).toEqual(['inside', 'refused', 'inside', 'refused']);
    first.release();
    first.release();
    const last = [ask('watch', bob), ask('watch', { name: '__proto__', groups: [] })];
    await turns(4);
    expect(outcomes(last)).toEqual(['inside', 'refused']);
  });
});

describe('the queue', () => {
  it('is limited per caller and in all, and refuses in the order of scheduling', async () => {
    const { ask, turn, turns } = bench({ reads: 4, readsPerCaller: 1, queuedPerCaller: 2, queued: 3 });
    const ofJane = Array.from({ length: 4 }, () => ask('read', jane));
    expect(outcomes(ofJane)).toEqual(['inside', 'waits', 'waits', 'waits']);
    await turn();
    expect(outcomes(ofJane)).toEqual(['inside', 'waits', 'waits', 'refused']);
    const ofBob = Array.from({ length: 3 }, () => ask('read', bob));
    await turns(4);
    expect(outcomes(ofBob)).toEqual(['inside', 'waits', 'refused']);
  });

  it('is unused if no request may wait', async () => {
    const { ask, turns } = bench({ reads: 1, queued: 0 });
    const all = [ask('read', jane), ask('read', jane)];
    await turns(2);
    expect(outcomes(all)).toEqual(['inside', 'refused']);
  });

  it('refuses requests that have waited for too long', async () => {
    const { ask, turns, clock } = bench({ reads: 1, queueWaitMs: 1_000 });
    const held = ask('read', jane);
    const waiting = ask('read', bob);
    clock.advance(900);
    await turns(2);
    expect(waiting.outcome).toBe('waits');
    clock.advance(400);
    await turns(2);
    expect(waiting.outcome).toBe('refused');
    held.release();
    await turns(2);
    const next = ask('read', bob);
    await turns(2);
    expect(next.outcome).toBe('inside');
  });

  it('drops a request that has ended, and gives it no place', async () => {
    const { ask, turns, clock } = bench({ reads: 1, queuedPerCaller: 1 });
    const held = ask('read', jane);
    const client = { aborted: false };
    const gone = ask('read', bob, client);
    await turns(2);
    client.aborted = true;
    clock.advance(500);
    await turns(2);
    expect(gone.outcome).toBe('refused');
    const next = ask('read', bob);
    held.release();
    await turns(3);
    expect(next.outcome).toBe('inside');
  });

  it('gives no place to a request that ended when it was its turn', async () => {
    const { ask, turns } = bench({ reads: 1 });
    const held = ask('read', jane);
    const client = { aborted: false };
    ask('read', bob, client);
    const next = ask('read', bob);
    client.aborted = true;
    held.release();
    await turns(3);
    expect(next.outcome).toBe('inside');
  });
});

describe('the scheduling of callers', () => {
  it('allows a single active caller some milliseconds in each turn of the loop', async () => {
    const { ask, turn, clock } = bench();
    const first = Array.from({ length: 64 }, () => ask('read', jane));
    expect(new Set(outcomes(first))).toEqual(new Set(['inside']));
    for (const { release } of first) release();
    clock.advance(6);
    const late = ask('read', jane);
    expect(late.outcome).toBe('waits');
    await turn();
    expect(late.outcome).toBe('inside');
  });

  it('serves the request of one caller before hundreds that another sent earlier', async () => {
    const { ask, turn, turns } = bench();
    ask('read', bob).release();
    await turn();
    const flood = Array.from({ length: 400 }, () => ask('read', jane));
    await turn();
    const polite = ask('read', bob);
    expect(polite.outcome).toBe('inside');
    const served = outcomes(flood).filter((outcome) => outcome !== 'waits').length;
    expect(served).toBeLessThan(20);
    const second = ask('read', bob);
    await turns(2);
    expect(second.outcome).toBe('inside');
    expect(outcomes(flood).filter((outcome) => outcome !== 'waits').length).toBeLessThan(40);
  });

  it('pauses a flooding caller for a millisecond between its turns, and no other', async () => {
    const { ask, turns, clock } = bench();
    ask('read', bob).release();
    await turns(1);
    const flood = Array.from({ length: 400 }, () => ask('read', jane));
    const servedOf = (all: readonly Asked[]): number => outcomes(all).filter((outcome) => outcome !== 'waits').length;
    await turns(20);
    const first = servedOf(flood);
    expect(first).toBeLessThan(20);
    const few = Array.from({ length: 16 }, () => ask('read', bob));
    await turns(20);
    expect(servedOf(few)).toBe(16);
    expect(servedOf(flood)).toBe(first);
    clock.advance(1);
    await turns(20);
    expect(servedOf(flood)).toBeGreaterThan(first);
  });

  it('applies to system:masters and refusals as well', async () => {
    const { ask, turn, turns } = bench({ watches: 1 });
    ask('watch', bob);
    await turn();
    const masters = Array.from({ length: 100 }, () => ask('read', admin));
    const refused = Array.from({ length: 100 }, () => ask('watch', jane));
    await turn();
    expect(outcomes(masters).filter((outcome) => outcome === 'inside').length).toBeLessThan(20);
    expect(outcomes(refused).filter((outcome) => outcome === 'refused').length).toBeLessThan(20);
    await turns(40);
    expect(new Set(outcomes(masters))).toEqual(new Set(['inside']));
    expect(new Set(outcomes(refused))).toEqual(new Set(['refused']));
  });

  it('does not read the address of a caller who has a name', () => {
    const { ask } = bench();
    const client = {
      aborted: false,
      get remoteAddress(): string {
        throw new Error('the system is asked for the address');
      },
    };
    expect(ask('read', jane, client).outcome).toBe('inside');
  });

  it('distinguishes anonymous callers by their address', async () => {
    const { ask, turn } = bench({ reads: 8, readsPerCaller: 1 });
    const from = (remoteAddress: string): { aborted: boolean; remoteAddress: string } => ({
      aborted: false,
      remoteAddress,
    });
    const first = [ask('read', anonymous, from('192.0.2.1')), ask('read', anonymous, from('192.0.2.2'))];
    expect(outcomes(first)).toEqual(['inside', 'inside']);
    const more = [ask('read', anonymous, from('192.0.2.1')), ask('read', anonymous, from('192.0.2.3'))];
    await turn();
    expect(outcomes(more)).toEqual(['waits', 'inside']);
  });

  it('includes unauthenticated clients, as soon as they send many requests', async () => {
    const { ask, limits, turn } = bench();
    const probe = (): Promise<unknown> | undefined => limits.turn(undefined, { remoteAddress: '192.0.2.1' });
    const burst = (): number => {
      const all = Array.from({ length: 20 }, () => ask('read', jane));
      for (const { release } of all) release();
      return outcomes(all).filter((outcome) => outcome === 'inside').length;
    };
    expect(probe()).toBeUndefined();
    expect(burst()).toBe(20);
    await turn();
    for (let index = 0; index < 60; index += 1) void probe();
    expect(burst()).toBe(1);
    expect(probe()).toBeInstanceOf(Promise);
  });

  it('lets steps of requests go on until all of one turn have taken 5 ms, then in the turns of their callers', async () => {
    const { clock, limits, turn } = bench();
    const went: string[] = [];
    const step = (name: string): void => {
      const waited = limits.step(jane, HERE, false);
      if (waited === undefined) went.push(name);
      else void waited.then(() => went.push(`${name} later`));
      clock.advance(2);
    };
    for (const name of ['a', 'b', 'c', 'd']) step(name);
    expect(went).toEqual(['a', 'b', 'c']);
    await turn();
    expect(went).toEqual(['a', 'b', 'c', 'd later']);
    step('e');
    expect(went.at(-1)).toBe('e');
  });

  it('lets a long step wait for the next turn, even if nothing else has begun', async () => {
    const { limits, turn } = bench();
    let hasBegun = false;
    void limits.step(jane, HERE, true)?.then(() => (hasBegun = true));
    expect(hasBegun).toBe(false);
    await turn();
    expect(hasBegun).toBe(true);
    expect(limits.turn(jane, HERE)).toBeUndefined();
  });

  it('serves all waiting work of a caller, in order', async () => {
    const { limits, turns } = bench();
    expect([limits.turn(jane, HERE), limits.turn(bob, HERE)]).toEqual([undefined, undefined]);
    const seen: number[] = [];
    for (let index = 0; index < 20; index += 1) void limits.turn(bob, HERE)?.then(() => seen.push(index));
    await turns(6);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });
});

describe('the options', () => {
  it('are checked all at once, including unknown ones', () => {
    const faults = (options: object): string => inFlightLimits()(options, 'limits').join('; ');
    expect(faults({ reads: 0, writes: 1.5, watches: NaN, watchesPerCaller: '5' })).toMatch(
      /reads .*; \S+writes .*; \S+watches .*; \S+watchesPerCaller /,
    );
    expect(
      faults({ readsPerCaller: 0, writesPerCaller: -1, queued: '', queuedPerCaller: -1, queueWaitMs: Infinity }),
    ).toMatch(/readsPerCaller .*; \S+writesPerCaller .*; \S+queued .*; \S+queuedPerCaller .*; \S+queueWaitMs /);
    expect(faults({ bytes: 0, bytesPerCaller: 1.5 })).toMatch(/bytes must be[^]*bytesPerCaller must/);
    expect(faults({ watch: 5 })).toBe('there is no option "limits.watch" (did you mean "limits.watches"?)');
    expect(faults({ watches: Infinity, queued: 0, queuedPerCaller: 0, queueWaitMs: 1 })).toBe('');
  });
});

describe('tooManyRequestsText', () => {
  it('is a text response with Retry-After', () => {
    expect(tooManyRequestsText()).toEqual({
      status: 429,
      headers: {
        'cache-control': 'no-cache, private',
        'content-type': 'text/plain; charset=utf-8',
        'retry-after': '1',
        'x-content-type-options': 'nosniff',
      },
      body: 'Too many requests, please try again later.\n',
    });
  });
});
