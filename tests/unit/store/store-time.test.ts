import { describe, expect, test } from 'vitest';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { createStoreTime } from '../../../src/store/store-time.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

const SECOND = 1_000_000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;

describe('the time of a store that replicas share', () => {
  function bench() {
    const clock = fakeClock();
    const state = { offset: 0, away: false, asked: 0, roundTripMs: 0, hangs: false };
    const start = clock.now();
    const store: EventStore = {
      ...memoryStore({ clock }),
      async now() {
        state.asked += 1;
        if (state.hangs) return new Promise(() => undefined);
        if (state.away) throw storeError('unavailable', 'the engine is away');
        clock.advance(state.roundTripMs / 2);
        const micros = start + clock.monotonic() * 1000 + state.offset;
        clock.advance(state.roundTripMs / 2);
        return micros;
      },
    };
    return { clock, state, start, time: createStoreTime({ store, clock }) };
  }

  test('is measured before it is used, and then continues without the store', async () => {
    const { clock, state, start, time } = bench();
    clock.setNow(start + YEAR);
    await time.known();
    expect(time.known()).toBeUndefined();
    expect(time.now()).toBe(start);
    clock.advance(500);
    expect(time.now()).toBe(start + SECOND / 2);
    expect(state.asked).toBe(1);
  });

  test('is awaited while the store is unavailable, and nothing is expired', async () => {
    const { state, time, start } = bench();
    state.away = true;
    await expect(time.known()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(time.expiryMoment()).rejects.toMatchObject({ code: 'unavailable' });
    state.away = false;
    expect(await time.expiryMoment()).toEqual({ now: start });
  });

  test('is measured again where the store has never returned it', async () => {
    const { clock, state, time, start } = bench();
    state.hangs = true;
    const known = time.known();
    const moment = time.expiryMoment();
    const failures = Promise.allSettled([known, moment]);
    clock.advance(10_000);
    const reason = { code: 'unavailable', message: 'the store has not returned its time within 10000 ms' };
    expect(await failures).toMatchObject([{ reason }, { reason }]);
    state.hangs = false;
    await time.known();
    expect([state.asked, time.now()]).toEqual([2, start + 10 * SECOND]);
  });

  test('releases a waiting caller with its signal, and measures on for others', async () => {
    const { time } = bench();
    const leaving = new AbortController();
    const left = time.known({ signal: leaving.signal });
    const stays = time.known();
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await stays;
    expect(time.known()).toBeUndefined();
  });

  test.each([
    [YEAR, "the clock of this process is 31536000 s ahead of the store's"],
    [-2 * HOUR, "the clock of this process is 7200 s behind the store's"],
  ])('is used by a process whose clock is off by %d µs, which expires nothing', async (off, fault) => {
    const { clock, start, time } = bench();
    clock.setNow(start + off);
    expect(await time.expiryMoment()).toEqual({ fault });
    expect(time.now()).toBe(start);
    clock.setNow(start);
    expect(await time.expiryMoment()).toEqual({ now: start });
  });

  test('tolerates a few seconds, and what a slow response leaves open', async () => {
    const { clock, state, start, time } = bench();
    clock.setNow(start + 4.9 * SECOND);
    expect((await time.expiryMoment()).fault).toBeUndefined();
    const slow = bench();
    slow.state.roundTripMs = 4000;
    slow.clock.setNow(slow.start + 6 * SECOND);
    expect((await slow.time.expiryMoment()).fault).toBeUndefined();
    clock.setNow(start + 5.1 * SECOND);
    clock.advance(1001);
    expect((await time.expiryMoment()).fault).toContain('5 s ahead');
    expect(state.asked).toBe(2);
  });

  test('is measured again by a process that was suspended, before its next write', async () => {
    const { clock, state, start, time } = bench();
    await time.known();
    clock.advance(2000);
    // The monotonic clock stood still for eight hours, all others went on.
    state.offset = 8 * HOUR;
    clock.setNow(start + 2 * SECOND + 8 * HOUR);
    await time.known();
    expect(time.now()).toBe(start + 2 * SECOND + 8 * HOUR);
    expect((await time.expiryMoment()).fault).toBeUndefined();
  });

  test('is measured every ten seconds at most while the clocks agree, and each second while they do not', async () => {
    const { clock, state, start, time } = bench();
    for (let second = 0; second < 30; second++) {
      await time.expiryMoment();
      clock.advance(1000);
    }
    expect(state.asked).toBe(3);
    clock.setNow(start);
    for (let second = 0; second < 10; second++) {
      await time.expiryMoment();
      await time.known();
      clock.advance(1001);
    }
    expect(state.asked).toBe(13);
  });

  test('is not spoiled by one slow response', async () => {
    const { clock, state, start, time } = bench();
    await time.known();
    clock.advance(11_000);
    state.roundTripMs = 3000;
    state.offset = SECOND;
    await time.expiryMoment();
    expect(time.now()).toBe(start + clock.monotonic() * 1000);
  });

  test('is corrected by a faster response, and by a slow one that shows that the store has another time', async () => {
    const { clock, state, start, time } = bench();
    const storesTime = (): number => start + clock.monotonic() * 1000 + state.offset;
    state.roundTripMs = 4000;
    state.offset = -SECOND;
    await time.known();
    state.roundTripMs = 10;
    state.offset = 0;
    clock.advance(11_000);
    await time.expiryMoment();
    expect(time.now()).toBe(storesTime());
    state.roundTripMs = 3000;
    state.offset = -4 * SECOND;
    clock.advance(11_000);
    await time.expiryMoment();
    expect(time.now()).toBe(storesTime());
  });

  test('is refused if it is not a number', async () => {
    const store = { ...memoryStore(), now: () => Promise.resolve('12:00' as unknown as number) };
    await expect(createStoreTime({ store }).expiryMoment()).rejects.toThrow(TypeError);
  });
});

describe('the time of a process without a shared clock', () => {
  function bench(holdMs = 3_600_000) {
    const clock = fakeClock();
    return { clock, start: clock.now(), time: createStoreTime({ store: memoryStore({ clock }), clock, holdMs }) };
  }

  test('is the wall clock, also with small corrections', async () => {
    const { clock, start, time } = bench();
    expect(time.known()).toBeUndefined();
    for (let step = 1; step <= 10; step++) {
      clock.setNow(start + step * 4 * SECOND);
      expect(time.now()).toBe(start + step * 4 * SECOND);
      expect(await time.expiryMoment()).toEqual({ now: start + step * 4 * SECOND });
    }
  });

  test('expires nothing early when the wall clock jumps ahead', async () => {
    const { clock, start, time } = bench();
    clock.advance(1000);
    clock.setNow(start + YEAR);
    const moment = await time.expiryMoment();
    expect(moment).toEqual({
      now: start + SECOND,
      fault: 'the clock of this process jumped 31535999 s ahead',
    });
    clock.advance(1500);
    expect((await time.expiryMoment()).now).toBe(start + 2.5 * SECOND);
    clock.setNow(start + 3 * SECOND);
    expect(await time.expiryMoment()).toEqual({ now: start + 3 * SECOND });
  });

  test('begins when the clock does, which Cloudflare Workers stop at 0 while modules are evaluated', async () => {
    const clock = fakeClock({ now: 0 });
    const time = createStoreTime({ store: memoryStore({ clock }), clock });
    clock.setNow(YEAR);
    expect(await time.expiryMoment()).toEqual({ now: YEAR });
    expect(time.now()).toBe(YEAR);
  });

  test('does not delay expiry when the wall clock jumps back', async () => {
    const { clock, start, time } = bench();
    clock.setNow(start - HOUR);
    clock.advance(1000);
    expect(await time.expiryMoment()).toEqual({
      now: start + SECOND,
      fault: 'the clock of this process jumped 3600 s back',
    });
    expect(time.now()).toBe(start + SECOND);
  });

  test('counts by the monotonic clock again as long when the wall clock jumps a second time', async () => {
    const { clock, start, time } = bench(10_000);
    clock.setNow(start + HOUR);
    await time.expiryMoment();
    clock.advance(9_000);
    clock.setNow(start + YEAR);
    await time.expiryMoment();
    clock.advance(9_000);
    expect((await time.expiryMoment()).now).toBe(start + 18 * SECOND);
    clock.advance(1_000);
    expect((await time.expiryMoment()).now).toBe(start + YEAR + 10 * SECOND);
  });

  test('keeps what is written after a jump until its time when the wall clock counts again', async () => {
    const ttl = 10_000;
    const { clock, start, time } = bench(ttl);
    const old = time.now() + ttl * 1000;
    clock.setNow(start + YEAR);
    await time.expiryMoment();
    clock.advance(9_999);
    const young = time.now() + ttl * 1000;
    expect((await time.expiryMoment()).now).toBeLessThan(old);
    clock.advance(1);
    expect(await time.expiryMoment()).toEqual({ now: start + YEAR + ttl * 1000 });
    expect(young).toBeGreaterThan(start + YEAR + ttl * 1000);
  });
});
