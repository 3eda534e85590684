import { afterEach, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../src/clock/clock.js';
import { createRecorder } from '../../../src/client.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore } from '../../../src/index.js';
import { call } from '../../../src/testing.js';

afterEach(() => {
  vi.useRealTimers();
});

test('the next turn comes although a test has replaced the timers', async () => {
  vi.useFakeTimers();
  await nextTurn();
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
