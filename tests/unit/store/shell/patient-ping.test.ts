import { expect, test, vi } from 'vitest';
import type { EventStore, PingOptions } from '../../../../src/store/contract/event-store.js';
import { withPatientPing } from '../../../../src/store/shell/patient-ping.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

function createBench(lastFailure?: Error) {
  const calls: (PingOptions | undefined)[] = [];
  let answer = (): void => undefined;
  const store = {
    name: 'slow',
    ping(call) {
      calls.push(call);
      return new Promise<void>((resolve) => (answer = resolve));
    },
  } as Partial<EventStore> as EventStore;
  const clock = fakeClock();
  return { store: withPatientPing(store, clock, () => lastFailure), clock, calls, answer: () => answer() };
}

test('a ping fails with the last failure shortly before its caller leaves', async () => {
  const failure = new Error('no leader');
  const { store, clock, calls } = createBench(failure);
  expect(store.name).toBe('slow');
  const settled = vi.fn();
  const ping = store.ping({ withinMs: 1000 }).catch(settled);
  clock.advance(899);
  await Promise.resolve();
  expect(settled).not.toHaveBeenCalled();
  clock.advance(1);
  await ping;
  expect(settled).toHaveBeenCalledWith(failure);
  expect(calls).toEqual([{ withinMs: 1000 }]);
});

test('a ping waits as long as the store does where no failure is known, or its caller says no time', async () => {
  for (const { bench, call } of [
    { bench: createBench(), call: { withinMs: 1000 } },
    { bench: createBench(new Error('no leader')), call: undefined },
  ]) {
    const ping = bench.store.ping(call);
    bench.clock.advance(10_000);
    bench.answer();
    await expect(ping).resolves.toBeUndefined();
  }
});

test('a ping that was answered leaves no timer', async () => {
  const lastFailure = vi.fn();
  const store = { ping: () => Promise.resolve() } as Partial<EventStore> as EventStore;
  const clock = fakeClock();
  await withPatientPing(store, clock, lastFailure).ping({ withinMs: 1000 });
  clock.advance(1000);
  expect(lastFailure).not.toHaveBeenCalled();
});
