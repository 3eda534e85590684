import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { EventStore, ExpireOptions } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { createExpiryLoop } from '../../../src/store/expiry-loop.js';
import { createStoreTime, type ExpiryMoment, type StoreTime } from '../../../src/store/store-time.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { nextTurn } from '../../../src/clock/clock.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await nextTurn();
}

function createBench(expire?: (options: ExpireOptions, store: EventStore) => Promise<number>) {
  const clock = fakeClock();
  const memory = memoryStore({ clock });
  const calls: ExpireOptions[] = [];
  const reported: unknown[] = [];
  const store: EventStore = {
    ...memory,
    expire(options) {
      calls.push(options);
      return expire?.(options, memory) ?? memory.expire({ ...options, limit: 3 });
    },
  };
  const loop = createExpiryLoop({
    store,
    clock,
    time: createStoreTime({ store, clock }),
    observe: (observation) => void reported.push(observation),
  });
  return { clock, store, loop, calls, reported };
}

describe('an expiry loop', () => {
  test('removes expired events, in slices, every interval', async () => {
    const { clock, store, loop, calls } = createBench();
    for (let i = 0; i < 8; i++) {
      const name = `event-${i}`;
      await store.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt: clock.now() + 1_500_000 });
    }
    loop.start();
    loop.start();
    clock.advance(1000);
    await turns();
    expect(calls).toHaveLength(1);
    clock.advance(1000);
    await turns();
    expect(calls.map(({ limit }) => limit)).toEqual([500, 500, 500, 500, 500]);
    expect((await store.list({ limit: 10 })).records).toEqual([]);
    await loop.stop();
    clock.advance(10_000);
    expect(calls).toHaveLength(5);
  });

  test('yields to the event loop between two slices', async () => {
    const { clock, store, loop, calls } = createBench();
    for (let i = 0; i < 30; i++) {
      const name = `event-${i}`;
      await store.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt: clock.now() + 1 });
    }
    loop.start();
    clock.advance(1000);
    const slices: number[] = [];
    for (let before = calls.length; before < 11; before = calls.length) {
      await nextTurn();
      slices.push(calls.length - before);
    }
    expect(calls.length).toBe(11);
    expect(Math.max(...slices)).toBe(1);
    await loop.stop();
  });

  test('waits for a moment whose promise is not of the global Promise, which zone.js and others replace', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    await store.create({ namespace: 'a', name: 'b' }, sampleEvent({ name: 'b' }), { expiresAt: clock.now() + 1 });
    const time: StoreTime = {
      ...createStoreTime({ store, clock }),
      expiryMoment: () => runInNewContext('(async () => ({ now }))()', { now: clock.now() }) as Promise<ExpiryMoment>,
    };
    const loop = createExpiryLoop({ store, clock, time });
    loop.start();
    clock.advance(1000);
    await turns();
    expect((await store.list({ limit: 10 })).records).toEqual([]);
    await loop.stop();
  });

  test('reports an error and continues', async () => {
    let failures = 1;
    const { clock, loop, calls, reported } = createBench(async (options, store) => {
      if (failures-- > 0) throw storeError('unavailable', 'the engine is away');
      return store.expire(options);
    });
    loop.start();
    for (let i = 0; i < 3; i++) {
      clock.advance(1000);
      await turns();
    }
    expect(calls).toHaveLength(3);
    expect(reported).toMatchObject([
      { type: 'error', where: 'expiry of memory', error: { code: 'unavailable' } },
      { type: 'recovered', where: 'expiry of memory', count: 1, durationMs: 1000 },
    ]);
    await loop.stop();
  });

  test('reports a store that stays unavailable once, another reason with the count, and the end', async () => {
    let calls = 0;
    const { clock, loop, reported } = createBench(async (options, store) => {
      calls += 1;
      if (calls <= 60) throw storeError('unavailable', `no response within ${5000 + calls} ms`);
      if (calls <= 90) throw storeError('unavailable', 'connect ECONNREFUSED');
      return store.expire(options);
    });
    loop.start();
    for (let i = 0; i < 100; i++) {
      clock.advance(1000);
      await turns();
    }
    const where = 'expiry of memory';
    expect(reported).toMatchObject([
      { type: 'error', where, count: 1, error: { message: 'no response within 5001 ms' } },
      { type: 'error', where, count: 61, error: { message: 'connect ECONNREFUSED' } },
      { type: 'recovered', where, count: 90, durationMs: 90_000, error: { message: 'connect ECONNREFUSED' } },
    ]);
    await loop.stop();
  });

  test('ends without a report when the store is closed', async () => {
    const { clock, store, loop, calls, reported } = createBench();
    loop.start();
    await store.close();
    for (let i = 0; i < 3; i++) {
      clock.advance(1000);
      await turns();
    }
    expect(calls).toHaveLength(1);
    expect(reported).toEqual([]);
  });

  test('aborts the current call with stop(), awaits it, and can be started again', async () => {
    const { clock, loop, calls } = createBench(
      ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    loop.start();
    clock.advance(1000);
    await turns();
    await loop.stop();
    expect(calls[0]?.signal?.aborted).toBe(true);
    loop.start();
    clock.advance(1000);
    expect(calls).toHaveLength(2);
    await loop.stop();
  });

  test('ends the request for the time with stop()', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    const signals: (AbortSignal | undefined)[] = [];
    const time: StoreTime = {
      ...createStoreTime({ store, clock }),
      expiryMoment(call) {
        signals.push(call?.signal);
        return { now: clock.now() };
      },
    };
    const loop = createExpiryLoop({ store, clock, time });
    loop.start();
    clock.advance(1000);
    await turns();
    await loop.stop();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  test('is not affected by an observer that throws or fails', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    let seen = 0;
    let reason = '';
    const broken: EventStore = { ...store, expire: () => Promise.reject(new Error((reason += 'x'))) };
    const observers = [
      () => {
        seen++;
        throw new Error('observer');
      },
      () => {
        seen++;
        return Promise.reject(new Error('observer'));
      },
    ];
    for (const observe of observers) {
      const loop = createExpiryLoop({ store: broken, clock, time: createStoreTime({ store: broken, clock }), observe });
      loop.start();
      clock.advance(1000);
      await turns();
      clock.advance(1000);
      await turns();
      await loop.stop();
    }
    expect(seen).toBe(4);
  });
});

describe('an expiry loop over a store with a clock of its own', () => {
  test("expires by that clock, and nothing while the process's clock differs or the store is unavailable", async () => {
    const { clock, store, calls } = createBench();
    const start = clock.now();
    let away = true;
    const shared: EventStore = {
      ...store,
      async now() {
        if (away) throw storeError('unavailable', 'away');
        return start + clock.monotonic() * 1000;
      },
    };
    const faults: unknown[] = [];
    const loop = createExpiryLoop({
      store: shared,
      clock,
      time: createStoreTime({ store: shared, clock }),
      observe: (observation) => {
        if (observation.type === 'error') faults.push((observation.error as Error).message);
      },
    });
    clock.setNow(start + 31_536_000_000_000);
    loop.start();
    for (let second = 0; second < 3; second++) {
      clock.advance(1001);
      await turns();
    }
    away = false;
    for (let second = 0; second < 3; second++) {
      clock.advance(1001);
      await turns();
    }
    expect(calls).toEqual([]);
    expect(faults).toEqual(['away', "the clock of this process is 31536000 s ahead of the store's"]);
    clock.setNow(start + clock.monotonic() * 1000);
    clock.advance(1001);
    await turns();
    // Within the round trip of the measurement.
    expect(calls).toHaveLength(1);
    expect(Math.abs((calls[0]?.now ?? 0) - (start + clock.monotonic() * 1000))).toBeLessThan(2_000);
    await loop.stop();
  });
});
