import { describe, expect, it } from 'vitest';
import { createEventRateLimits } from '../../../src/limits/event-rate-limits.js';
import { createInFlightLimits, type Place, type PlaceKind } from '../../../src/limits/in-flight.js';
import { readInFlightLimits } from '../../../src/limits/in-flight-options.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { fakeLoop } from './loop.js';

/** The defaults and constants of `docs/limits.md` and of the options, each at its bound and one beyond it. */

const HERE = { aborted: false };

function bench() {
  const loop = fakeLoop();
  const limits = createInFlightLimits({}, loop);
  const outcomes = { inside: 0, refused: 0 };
  const ask = (kind: PlaceKind, name: string): void => {
    const onPlace = (place: Place | undefined): void => {
      outcomes[place === undefined ? 'refused' : 'inside'] += 1;
      // Else one of several callers would wait for the store.
      place?.streams();
    };
    const place = limits.enter(kind, { name, groups: [] }, HERE);
    if (place instanceof Promise) void place.then(onPlace);
    else onPlace(place);
  };
  const asks = (count: number, kind: PlaceKind, name: string): void => {
    for (let index = 0; index < count; index += 1) ask(kind, name);
  };
  /** Lets everything that can begin begin. */
  const settle = async (): Promise<void> => {
    for (let before = -1; before !== outcomes.inside + outcomes.refused;) {
      before = outcomes.inside + outcomes.refused;
      for (let turn = 0; turn < 20; turn += 1) {
        loop.clock.advance(1);
        await loop.turns(2);
      }
    }
  };
  return { ...loop, outcomes, asks, settle };
}

describe('the documented limits on callers', () => {
  it('are the defaults of omitted options', () => {
    expect(readInFlightLimits({})).toEqual({
      reads: 400,
      writes: 200,
      readsPerCaller: 200,
      writesPerCaller: 100,
      watches: 10_000,
      watchesPerCaller: 2_000,
      bytes: 268_435_456,
      bytesPerCaller: 67_108_864,
      queued: 5_000,
      queuedPerCaller: 500,
      queueWaitMs: 5_000,
    });
    expect(readInFlightLimits({ reads: 9, writes: 1 })).toMatchObject({ readsPerCaller: 4, writesPerCaller: 1 });
    expect(readInFlightLimits({ reads: undefined, queued: 0 })).toMatchObject({ reads: 400, queued: 0 });
  });

  it('allow 100 writes of a caller and 500 waiting ones, and refuse the next', async () => {
    const { asks, outcomes, settle } = bench();
    asks(600, 'write', 'jane');
    await settle();
    expect(outcomes).toEqual({ inside: 100, refused: 0 });
    asks(1, 'write', 'jane');
    await settle();
    expect(outcomes).toEqual({ inside: 100, refused: 1 });
    asks(100, 'write', 'bob');
    await settle();
    expect(outcomes).toEqual({ inside: 200, refused: 1 });
  });

  it('allow 5,000 waiting requests in all, and refuse the next', async () => {
    const { asks, outcomes, settle } = bench();
    asks(100, 'write', 'a');
    asks(100, 'write', 'b');
    await settle();
    expect(outcomes).toEqual({ inside: 200, refused: 0 });
    for (let caller = 0; caller < 10; caller += 1) asks(500, 'write', `waiting-${caller}`);
    await settle();
    expect(outcomes).toEqual({ inside: 200, refused: 0 });
    asks(1, 'write', 'late');
    await settle();
    expect(outcomes).toEqual({ inside: 200, refused: 1 });
  });

  it('allow a request to wait for 5,000 ms, and refuse it then', async () => {
    const { asks, outcomes, settle, clock, turns } = bench();
    asks(100, 'write', 'jane');
    await settle();
    asks(1, 'write', 'jane');
    clock.advance(5_000);
    await turns(4);
    expect(outcomes).toEqual({ inside: 100, refused: 0 });
    clock.advance(251);
    await turns(4);
    expect(outcomes).toEqual({ inside: 100, refused: 1 });
  });

  it('allow a caller 2,000 watches, and all callers 10,000', async () => {
    const { asks, outcomes, settle } = bench();
    asks(2_001, 'watch', 'caller-0');
    await settle();
    expect(outcomes).toEqual({ inside: 2_000, refused: 1 });
    for (let caller = 1; caller < 5; caller += 1) asks(2_000, 'watch', `caller-${caller}`);
    await settle();
    expect(outcomes).toEqual({ inside: 10_000, refused: 1 });
    asks(1, 'watch', 'caller-5');
    await settle();
    expect(outcomes).toEqual({ inside: 10_000, refused: 2 });
  });
});

describe('the documented limits on rates', () => {
  const event = { metadata: { name: 'a' } };
  const write = (user: string): { namespace: string; user: string; event: typeof event } => ({
    namespace: 'shop',
    user,
    event,
  });

  it('keep 4,096 buckets of a kind, the most recently used ones', () => {
    for (const [others, begunAgain] of [
      [4_095, false],
      [4_096, true],
    ] as const) {
      const rates = createEventRateLimits([{ type: 'User', qps: 0.001, burst: 1 }], fakeClock());
      rates.debit(write('first'));
      for (let index = 0; index < others; index += 1) rates.debit(write(`other-${index}`));
      expect([others, rates.debit(write('first')) === undefined]).toEqual([others, begunAgain]);
    }
  });

  it('distinguish keys by their first 1,024 characters', () => {
    const rates = createEventRateLimits([{ type: 'User', qps: 0.001, burst: 1 }], fakeClock());
    const start = 'x'.repeat(1_023);
    expect(rates.debit(write(`${start}a`))).toBeUndefined();
    expect(rates.debit(write(`${start}b`))).toBeUndefined();
    expect(rates.debit(write(`${start}ac`))).toBeUndefined();
    expect(rates.debit(write(`${start}ad`))).toBeDefined();
  });
});
