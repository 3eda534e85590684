import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import type { Connection, KeyValue, Pending } from '../../../../src/store/etcd/connection.js';
import { etcdStore } from '../../../../src/store/etcd/etcd-store.js';
import { etcdFailure } from '../../../../src/store/etcd/failure.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const ENDPOINT = 'http://127.0.0.1:1';
const expiresAt = 4_102_444_800_000_000;
const key = { namespace: 'default', name: 'a' };
const layout = createLayout('/kube-vitals/events');
const stored: KeyValue = {
  key: layout.objectKey(key),
  value: layout.value(sampleEvent({ name: 'a' }), expiresAt),
  createRevision: 15,
  modRevision: 15,
  version: 1,
};

const connected = vi.hoisted(() => ({ member: undefined as { readonly connection: Connection } | undefined }));
vi.mock('../../../../src/store/etcd/grpc-connection.js', () => ({
  grpcConnect: async () => [connected.member?.connection],
}));

/** A member that sends no responses while it is silent. A request that is cancelled meanwhile is lost. */
function createMember() {
  let revision = 20;
  let silent = false;
  const held = new Set<() => void>();
  const ask = <T>(answer: () => T): Pending<T> => {
    if (!silent) return { done: Promise.resolve(answer()), cancel: () => undefined };
    let cancel = (): void => undefined;
    const done = new Promise<T>((resolve, reject) => {
      const speak = (): void => resolve(answer());
      held.add(speak);
      cancel = () => {
        held.delete(speak);
        reject(etcdFailure(4, 'did not respond in time', true));
      };
    });
    return { done, cancel };
  };
  const connection: Connection = {
    endpoint: ENDPOINT,
    range: (request) =>
      ask(() => {
        const kvs = Buffer.compare(request.key, stored.key) === 0 ? [stored] : [];
        return { revision, kvs, more: false, count: kvs.length };
      }),
    txn: ({ compare = [] }) =>
      ask(() => {
        // No key has the revision that ping compares with.
        const succeeded = !compare.some((condition) => condition.revision === Number.MAX_SAFE_INTEGER);
        return { revision: succeeded ? ++revision : revision, succeeded, steps: [] };
      }),
    compact: () => ask(() => undefined),
    bytesInUse: () => ask(() => 0),
    authenticate: () => ask(() => 'token'),
    watch: () => ({ cancel: () => undefined, pause: () => undefined, resume: () => undefined }),
    close: () => undefined,
  };
  return {
    connection,
    beSilent: () => void (silent = true),
    /** Responds to all requests so far, and is silent again. */
    answerHeld() {
      for (const answer of held) answer();
      held.clear();
    },
  };
}

let clock: FakeClock;
let member: ReturnType<typeof createMember>;
let store: EventStore;

beforeEach(async () => {
  clock = fakeClock();
  member = createMember();
  connected.member = member;
  store = etcdStore({ endpoints: [ENDPOINT], clock });
  expect(await store.get(key)).toMatchObject({ revision: 15 });
  clock.advance(100);
  member.beSilent();
});
afterEach(async () => {
  const closed = store.close();
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    clock.advance(1_000);
  }
  await closed;
});

/** Waits for the work while other calls begin all the time. Returns how it ended, and after how long. */
async function settled(work: () => Promise<unknown>, at: (elapsedMs: number) => void = () => undefined) {
  const begun = clock.monotonic();
  let ended: unknown;
  work().then(
    () => (ended = 'done'),
    (error: unknown) => (ended = (error as { code?: unknown }).code),
  );
  for (let passed = 0; ended === undefined && passed < 30_000; passed += 50) {
    at(passed);
    if (passed % 250 === 0) store.get(key).catch(() => undefined);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    if (ended === undefined) clock.advance(50);
  }
  return { ended, ms: clock.monotonic() - begun };
}

test('a write that never gets a response ends in the time of one operation, whatever other calls wait for', async () => {
  const event = sampleEvent({ name: 'a', note: 'new' });
  const replacing = await settled(() => store.replace(key, event, { expiresAt, expected: 15 }));
  expect(replacing).toEqual({ ended: 'unknown-outcome', ms: 4_500 });
});

test('ping succeeds when its first attempt is lost and the second one gets a response', async () => {
  const pinging = await settled(
    () => store.ping(),
    (elapsedMs) => {
      if (elapsedMs === 1_500) member.answerHeld();
    },
  );
  expect(pinging).toEqual({ ended: 'done', ms: 1_500 });
});

test('ping fails with unavailable when it never gets a response', async () => {
  expect(await settled(() => store.ping())).toEqual({ ended: 'unavailable', ms: 4_500 });
});

test.each(['open', 'opening'] as const)(
  'ping of a store that is %s fails in the time that its caller has, with the reason of the attempts so far',
  async (state) => {
    const asked = state === 'open' ? store : etcdStore({ endpoints: [ENDPOINT], clock });
    await nextTurn();
    const pinging = await settled(() =>
      expect(asked.ping({ withinMs: 2_000 })).rejects.toMatchObject({
        code: 'unavailable',
        message: `etcd (${ENDPOINT}) is not available: did not respond in time`,
      }),
    );
    expect(pinging).toEqual({ ended: 'done', ms: 1_800 });
    if (asked !== store) void asked.close();
  },
);

test('ping knows of no failure once etcd has responded again', async () => {
  const lost = await settled(
    () => store.ping({ withinMs: 2_000 }),
    (elapsedMs) => {
      if (elapsedMs === 1_500) member.answerHeld();
    },
  );
  expect(lost).toEqual({ ended: 'done', ms: 1_500 });
  // The first attempt takes longer than its caller waits, and nothing is known yet.
  expect((await settled(() => store.ping({ withinMs: 500 }))).ms).toBe(4_500);
});

test('ping is a transaction with as many conditions and steps as any write has', async () => {
  const txn = vi.spyOn(member.connection, 'txn');
  const sizes: number[] = [];
  const event = sampleEvent({ name: 'a' });
  for (const ask of [
    () => store.create({ ...key, name: 'b' }, event, { expiresAt }),
    () => store.replace(key, event, { expiresAt: expiresAt + 1, expected: 15 }),
    () => store.remove(key, { expected: 15 }),
    () => store.ping(),
  ]) {
    ask().catch(() => undefined);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    const [{ compare = [], success = [], failure = [] }] = txn.mock.lastCall ?? [{}];
    sizes.push(Math.max(compare.length, success.length, failure.length));
  }
  expect(sizes.pop()).toBe(Math.max(...sizes));
});

test('a removal that never gets a response ends in the time of one operation', async () => {
  expect(await settled(() => store.remove(key, { expected: 15 }))).toEqual({ ended: 'unknown-outcome', ms: 4_500 });
});

test('a removal of any revision ends in the time of one operation, although it reads first', async () => {
  const removing = await settled(
    () => store.remove(key),
    (elapsedMs) => {
      if (elapsedMs === 4_400) member.answerHeld();
    },
  );
  expect(removing).toEqual({ ended: 'unknown-outcome', ms: 4_500 });
});

test('a read with a late response and the write after it end within nine seconds together', async () => {
  const both = await settled(
    async () => {
      const record = await store.get(key);
      await store.remove(key, { expected: record?.revision });
    },
    (elapsedMs) => {
      if (elapsedMs === 4_400) member.answerHeld();
    },
  );
  expect(both.ended).toBe('unknown-outcome');
  expect(both.ms).toBeGreaterThan(8_500);
  expect(both.ms).toBeLessThanOrEqual(9_000);
});

test('a request for progress writes the key that the feeds of all replicas watch, and never throws', async () => {
  const txn = vi.spyOn(member.connection, 'txn');
  store.requestProgress?.();
  await nextTurn();
  const written = txn.mock.calls.flatMap(([{ success }]) => success ?? []);
  expect(written).toEqual([expect.objectContaining({ key: layout.tickKey })]);
  txn.mockImplementation(() => {
    throw new Error('broken');
  });
  store.requestProgress?.();
  await nextTurn();
  await store.close();
  expect(() => store.requestProgress?.()).not.toThrow();
});

test('a store that exists opens without a write, so that it opens at the space quota too', async () => {
  const { connection } = createMember();
  const mark = { ...stored, key: layout.storeKey, value: Buffer.from('{"format":1}') };
  const full = () => Promise.reject(etcdFailure(8, 'etcdserver: mvcc: database space exceeded', true));
  connected.member = {
    connection: {
      ...connection,
      range: (request, context) =>
        Buffer.compare(request.key, layout.storeKey) === 0
          ? {
              done: Promise.resolve({ revision: 20, kvs: [mark], more: false, count: 1 }),
              cancel: () => undefined,
            }
          : connection.range(request, context),
      txn: () => ({ done: full(), cancel: () => undefined }),
    },
  };
  const second = etcdStore({ endpoints: [ENDPOINT], clock: fakeClock() });
  expect(await second.get(key)).toMatchObject({ revision: 15 });
  await expect(second.ping()).rejects.toMatchObject({ code: 'unavailable', onlyWrites: true });
  await second.close();
});
