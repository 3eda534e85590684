import { afterEach, expect, test, vi } from 'vitest';
import { nextTurn, systemClock } from '../../../src/clock/clock.js';
import { createRecorder } from '../../../src/client.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../../src/index.js';
import { call } from '../../../src/testing.js';
import { collectGarbage } from '../../collect-garbage.js';

afterEach(() => {
  vi.useRealTimers();
});

test('the next turn comes although a test has replaced the timers', async () => {
  vi.useFakeTimers();
  await nextTurn();
});

test('the next turn comes although the timers of a test were replaced before the library was loaded, as by Jest', async () => {
  vi.resetModules();
  vi.stubGlobal('setImmediate', () => undefined);
  try {
    const { nextTurn: turn } = await import('../../../src/clock/clock.js');
    await turn();
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
});

test('events are recorded and watched although a test has replaced the timers', async () => {
  vi.useFakeTimers();
  const events = createEvents({
    apiDomain: 'example.com',
    store: memoryStore(),
    authenticate: allowAnonymous(),
    authorize: allowEverybody(),
  });
  const recorder = createRecorder({ events, reportingController: 'example.com/shop', namespace: 'shop' });
  const watch = await call(events.handle, 'GET /apis/events.example.com/v1/events?watch=true');
  const frames = watch.frames<{ object: { reason: string } }>();
  for (const reason of ['Placed', 'Paid', 'Sent']) {
    recorder.event({ regarding: { kind: 'Order', namespace: 'shop', name: 'a' }, reason, action: 'Sell' });
    await recorder.flush();
    expect((await frames.next()).value?.object.reason).toBe(reason);
  }
  await frames.return();
  await recorder.close();
  await events.close();
});

test('a long timer that was cancelled takes no memory until it is due', () => {
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const setAndCancel = (from: number): void => {
    for (let ms = from; ms < from + 20_000; ms++) {
      const timer = systemClock.setTimer(() => undefined, ms);
      timer.cancel();
      timer.cancel();
    }
  };
  setAndCancel(1_800_000);
  const before = used();
  setAndCancel(2_800_000);
  expect(used() - before).toBeLessThan(1_000_000);
});
