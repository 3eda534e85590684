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

function createMember() {
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
  return {
    client: createLiftedClient(member as EtcdClient, createLayout('/events'), fakeClock()),
    show: (shown: number) => listeners.at(-1)?.response(response(shown)),
    restore: () => void (revision = 20),
  };
}

/** Opens a watch, and returns its responses. */
async function watchOf({ client }: ReturnType<typeof createMember>): Promise<WatchResponse[]> {
  const received: WatchResponse[] = [];
  const listener = { response: (one: WatchResponse) => void received.push(one), end: () => undefined };
  const request = { key, rangeEnd: key, startRevision: client.floor() };
  await client.watch(request, listener, client.callContext(undefined));
  return received;
}

test('a counter behind what only a watch has shown went back', async () => {
  const member = createMember();
  const { client } = member;
  await watchOf(member);
  member.show(40);
  expect(client.seen()).toBe(40);

  const read = await client.range({ key }, client.callContext(undefined));
  expect(read.revision).toBeGreaterThan(40 + BEYOND);
  expect(client.floor()).toBe(40 + BEYOND + 1);
});

test('watches end with the floor of each lift', async () => {
  const member = createMember();
  const { client } = member;
  for (let restored = 1; restored <= 3; restored++) {
    const received = await watchOf(member);
    member.show(40);
    member.restore();
    await client.range({ key }, client.callContext(undefined));
    expect(client.floor()).toBeGreaterThan(restored * BEYOND);
    expect(received.at(-1)).toMatchObject({ canceled: true, compactRevision: client.floor() });
  }
});
