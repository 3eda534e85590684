import { expect, test } from 'vitest';
import type { EtcdClient } from '../../../../src/store/etcd/client.js';
import type { WatchListener, WatchResponse } from '../../../../src/store/etcd/connection.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import { createLiftedClient } from '../../../../src/store/etcd/lifted-client.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const BEYOND = 1_000_000_000;
const key = new Uint8Array(1);
const response = (revision: number): WatchResponse => ({
  revision,
  created: false,
  canceled: false,
  compactRevision: 0,
  cancelReason: '',
  fragment: false,
  events: [],
});

test('a counter behind what only a watch has shown went back', async () => {
  let revision = 20;
  const listeners: WatchListener[] = [];
  const member: Partial<EtcdClient> = {
    callContext: (signal) => ({ end: Infinity, signal, outcomeUnknown: false }),
    range: async () => ({ revision, kvs: [], more: false, count: 0 }),
    txn: async () => ({ revision: ++revision, succeeded: true, steps: [] }),
    async watch(_request, listener) {
      listeners.push(listener);
      return { cancel: () => undefined, pause: () => undefined, resume: () => undefined };
    },
    endWatches: (last) => listeners.forEach((listener) => listener.response(last)),
  };
  const client = createLiftedClient(member as EtcdClient, createLayout('/events'), fakeClock());
  const context = client.callContext(undefined);
  const received: WatchResponse[] = [];
  const listener = { response: (one: WatchResponse) => void received.push(one), end: () => undefined };
  await client.watch({ key, rangeEnd: key, startRevision: 20 }, listener, context);
  listeners[0]?.response(response(40));
  expect(client.seen()).toBe(40);

  const read = await client.range({ key }, context);
  expect(read.revision).toBeGreaterThan(40 + BEYOND);
  expect(client.floor()).toBe(40 + BEYOND + 1);
  expect(received.at(-1)).toMatchObject({ canceled: true, compactRevision: 40 + BEYOND + 1 });
});
