import { expect, onTestFinished, test } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import { storeCheck, type StoreCheckOptions } from '../../../src/checks/store.js';
import type { EventStore } from '../../../src/store/contract/event-store.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call } from '../../../src/testing/call.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

function bench(options?: StoreCheckOptions) {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  let pings = 0;
  const waits: (number | undefined)[] = [];
  let away: false | 'everything' | 'writes' = false;
  const weak: EventStore = {
    ...store,
    ping(how) {
      pings += 1;
      waits.push(how?.withinMs);
      if (away === false) return store.ping(how);
      const [message, onlyWrites] = away === 'writes' ? ['the disk is full', true] : ['the engine is away', false];
      return Promise.reject(storeError('unavailable', message, { onlyWrites }));
    },
  };
  const health = createHealth({ clock });
  health.add(storeCheck(weak, options));
  onTestFinished(async () => {
    health.close();
    await store.close();
  });
  const statuses = async (): Promise<readonly number[]> => {
    const responses = await Promise.all(
      ['livez', 'readyz', 'healthz'].map((root) => call(health.handle, `GET /${root}`)),
    );
    return responses.map(({ status }) => status);
  };
  return {
    clock,
    health,
    statuses,
    pings: () => pings,
    waits,
    setAway: (value: boolean | 'writes') => void (away = value === true ? 'everything' : value),
  };
}

test('readiness fails while the store is unavailable and recovers by itself; liveness does not fail', async () => {
  const { clock, health, statuses, setAway } = bench();
  expect(await statuses()).toEqual([200, 200, 200]);
  setAway(true);
  clock.advance(1_001);
  expect(await statuses()).toEqual([200, 500, 500]);
  expect(await health.report('readyz')).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'memory', reason: 'the engine is away' })]),
  });
  setAway(false);
  clock.advance(1_001);
  expect(await statuses()).toEqual([200, 200, 200]);
});

test.each([undefined, 500])('the store is told how long the check waits, with timeoutMs %s', async (timeoutMs) => {
  const { statuses, waits } = bench({ timeoutMs });
  await statuses();
  expect(waits).toEqual([timeoutMs ?? 2_000]);
});

test('the check is degraded if only writes are refused, and names what is unavailable', async () => {
  const { clock, health, statuses, setAway } = bench();
  setAway('writes');
  expect(await statuses()).toEqual([200, 200, 200]);
  expect(await health.report('readyz')).toMatchObject({
    status: 'degraded',
    checks: expect.arrayContaining([
      expect.objectContaining({
        name: 'memory',
        status: 'degraded',
        reason: 'writes are refused, reads still work: the disk is full',
      }),
    ]),
  });
  setAway(true);
  clock.advance(1_001);
  expect(await statuses()).toEqual([200, 500, 500]);
  setAway('writes');
  clock.advance(1_001);
  expect(await statuses()).toEqual([200, 200, 200]);
});

test('the check fails in that case if it is declared critical', async () => {
  const { statuses, setAway } = bench({ critical: true });
  setAway('writes');
  expect(await statuses()).toEqual([200, 500, 500]);
});

test('the store is called once a second at most', async () => {
  const { clock, statuses, pings } = bench();
  for (let i = 0; i < 5; i++) await statuses();
  expect(pings()).toBe(1);
  clock.advance(1_001);
  await statuses();
  expect(pings()).toBe(2);
});

test('options replace the defaults, but the check cannot be added to livez', () => {
  const store = memoryStore();
  expect(storeCheck(store)).toMatchObject({ name: 'memory', timeoutMs: 2_000, cacheMs: 1_000 });
  const check = storeCheck(store, { name: 'events', periodMs: 5_000, critical: false, group: undefined });
  expect(check).toMatchObject({ name: 'events', periodMs: 5_000, critical: false, endpoints: ['readyz', 'healthz'] });
  expect(check.cacheMs).toBeUndefined();
  expect(storeCheck(store, { name: undefined, timeoutMs: undefined })).toMatchObject({
    name: 'memory',
    timeoutMs: 2_000,
  });
  expect(() => storeCheck(store, { endpoints: ['livez'] } as object)).toThrow('there is no option "endpoints"');
});

test('a store that does not respond counts as unavailable', async () => {
  const store = { ...memoryStore(), ping: () => new Promise<void>(() => undefined) };
  const health = createHealth();
  health.add(storeCheck(store, { timeoutMs: 1 }));
  onTestFinished(() => health.close());
  expect((await call(health.handle, 'GET /readyz')).status).toBe(500);
});

test('readiness fails while the clock of the process is off, and shows by how much', async () => {
  const clock = fakeClock();
  const start = clock.now();
  const store: EventStore = { ...memoryStore({ clock }), now: async () => start + clock.monotonic() * 1000 };
  const health = createHealth({ clock });
  health.add(storeCheck(store, { clock }));
  onTestFinished(() => health.close());
  const reasonNow = async (): Promise<string | undefined> => {
    clock.advance(1_001);
    const { checks } = await health.report('readyz');
    return checks.find(({ name }) => name === 'memory')?.reason;
  };
  expect(await reasonNow()).toBeUndefined();
  clock.setNow(clock.now() + 31_536_000_000_000);
  expect(await reasonNow()).toBe("the clock of this process is 31536000 s ahead of the store's");
  expect((await call(health.handle, 'GET /readyz')).status).toBe(500);
  expect((await call(health.handle, 'GET /livez')).status).toBe(200);
  clock.setNow(start + clock.monotonic() * 1000);
  expect(await reasonNow()).toBeUndefined();
});

test('an invalid tolerance is refused', () => {
  expect(() => storeCheck(memoryStore(), { clockToleranceMs: 0 })).toThrow('clockToleranceMs must be a number above 0');
});
