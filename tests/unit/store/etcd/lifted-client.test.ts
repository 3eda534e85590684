import { expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { CallContext } from '../../../../src/store/etcd/call-context.js';
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
    endWatches: (reason) => listeners.forEach((listener) => listener.end(reason)),
  };
  return {
    client: createLiftedClient(member as EtcdClient, createLayout('/events'), fakeClock()),
    show: (shown: number) => listeners.at(-1)?.response(response(shown)),
    restore: () => void (revision = 20),
  };
}

/** Opens a watch, and returns what it ended with. */
async function watchOf({ client }: ReturnType<typeof createMember>): Promise<unknown[]> {
  const ended: unknown[] = [];
  const listener = { response: () => undefined, end: (reason: unknown) => void ended.push(reason) };
  const request = { key, rangeEnd: key, startRevision: client.floor() };
  await client.watch(request, listener, client.callContext(undefined));
  return ended;
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
    const ended = await watchOf(member);
    member.show(40);
    member.restore();
    await client.range({ key }, client.callContext(undefined));
    expect(client.floor()).toBeGreaterThan(restored * BEYOND);
    expect(ended.at(-1)).toMatchObject({ code: 'expired', current: client.floor() });
  }
});

test('the latest revision is that of a response, not of a transaction that was lost', async () => {
  const clock = fakeClock();
  const answers = [storeError('unknown-outcome', 'no answer'), { revision: 20, succeeded: true, steps: [] }];
  const inner = {
    range: async () => ({ revision: 10, kvs: [], more: false, count: 0 }),
    txn: async () => undefined,
    async txnOnce() {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as EtcdClient;
  const client = createLiftedClient(inner, createLayout('/events'), clock);
  const context: CallContext = { end: clock.monotonic() + 5000, signal: undefined, outcomeUnknown: false };
  await expect(client.txnOnce({ success: [] }, context)).rejects.toMatchObject({ code: 'unknown-outcome' });
  expect(client.seen()).toBe(0);
  expect(await client.txnOnce({ success: [] }, context)).toMatchObject({ revision: 20 });
  expect(client.seen()).toBe(20);
});
