import { expect, test, vi } from 'vitest';
import type { EtcdClient } from '../../../../src/store/etcd/client.js';
import type { WatchListener } from '../../../../src/store/etcd/connection.js';
import { createIdleSpan, openFeed } from '../../../../src/store/etcd/feed.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const layout = createLayout('/events');

/** A feed of which nothing has been read, and how changes of an event with a note of `noteBytes` reach it. */
async function openWatched(noteBytes: number) {
  const clock = fakeClock();
  const handle = { cancel: vi.fn(), pause: vi.fn(), resume: vi.fn() };
  let listener: WatchListener | undefined;
  const client: Partial<EtcdClient> = {
    callContext: (signal) => ({ end: Infinity, signal, outcomeUnknown: false }),
    async watch(_request, given) {
      listener = given;
      return handle;
    },
  };
  const settings = etcdSettings({ endpoints: ['http://127.0.0.1:1'], clock });
  const dependencies = { settings, layout, idleSpan: createIdleSpan(), client: client as EtcdClient, begin: () => 1 };
  const feed = openFeed(dependencies, { after: 1, wake: () => undefined });
  await vi.waitFor(() => expect(listener).toBeDefined());
  const value = layout.value(sampleEvent({ note: 'x'.repeat(noteBytes) }), 4_102_444_800_000_000);
  const [created, canceled, fragment] = [false, false, false];
  const change = (revision: number): void => {
    const kv = {
      key: layout.objectKey({ namespace: 'a', name: `e-${revision}` }),
      value,
      createRevision: revision,
      modRevision: revision,
      version: 1,
    };
    const events = [{ type: 'put', kv }] as const;
    listener?.response({ revision, created, canceled, compactRevision: 0, cancelReason: '', fragment, events });
  };
  return { feed, handle, change };
}

test.each([
  ['many small changes', 100, 5_000],
  ['a few large changes', 900_000, 6],
])('a watch is paused while %s wait for their reader, and resumed when they are read', async (_what, size, count) => {
  const { feed, handle, change } = await openWatched(size);
  change(2);
  expect(handle.pause).not.toHaveBeenCalled();
  for (let revision = 3; revision <= count + 1; revision++) change(revision);
  expect(handle.pause).toHaveBeenCalledOnce();
  let read = 0;
  for (let batch = feed.take(); batch !== undefined; batch = feed.take()) read += batch.length;
  expect(read).toBe(count);
  expect(handle.resume).toHaveBeenCalledOnce();
  feed.end?.();
});
