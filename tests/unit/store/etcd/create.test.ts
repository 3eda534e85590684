import { describe, expect, test } from 'vitest';
import type { Change, ChangesOptions } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { CallContext } from '../../../../src/store/etcd/call-context.js';
import { etcdFailure } from '../../../../src/store/etcd/failure.js';
import { createFence } from '../../../../src/store/etcd/fence.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import type { LiftedClient } from '../../../../src/store/etcd/lifted-client.js';
import type { KeyValue, TxnRequest, TxnResponse } from '../../../../src/store/etcd/connection.js';
import { createWrites } from '../../../../src/store/etcd/writes.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { EventRecord } from '../../../../src/store/contract/record.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const expiresAt = 4_102_444_800_000_000;
const key = { namespace: 'default', name: 'a' };
const event = sampleEvent({ name: 'a' });
const layout = createLayout('/events');

const lost = (): Error => storeError('unknown-outcome', 'no answer');
const noSpace = (): Error => {
  const cause = etcdFailure(8, 'etcdserver: mvcc: database space exceeded', true);
  return storeError('unavailable', 'no space', { cause });
};
const done: TxnResponse = { revision: 20, succeeded: true, steps: [] };
const stored = (uid: string): KeyValue => ({
  key: layout.objectKey(key),
  value: layout.value({ ...event, uid }, expiresAt),
  createRevision: 15,
  modRevision: 15,
  version: 1,
});

/** A create over an etcd that sends these responses, has `there` under the key, and a feed without changes. */
function creating(answers: readonly (TxnResponse | Error)[], there: readonly KeyValue[] | Error = []) {
  const clock = fakeClock();
  const left = [...answers];
  const attempts: TxnRequest[] = [];
  const client = {
    seen: () => 10,
    txn: async () => ({ revision: 12, succeeded: true, steps: [] }),
    async txnOnce(request: TxnRequest) {
      attempts.push(request);
      const answer = left.shift() ?? lost();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async range() {
      if (there instanceof Error) throw there;
      return { revision: 16, kvs: there, more: false, count: there.length };
    },
  } as unknown as LiftedClient;
  const context: CallContext = { end: clock.monotonic() + 5000, signal: undefined, outcomeUnknown: false };
  const asked: number[] = [];
  async function* changes({ after, signal }: ChangesOptions): AsyncGenerator<readonly Change[]> {
    asked.push(after);
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  }
  const fence = createFence(client, layout, clock, changes);
  const writes = createWrites(client, layout, fence);
  return {
    clock,
    attempts,
    asked,
    fenceOf: ({ compare }: TxnRequest): unknown => compare?.[1]?.revision,
    create: (): Promise<EventRecord> => writes.create(key, event, expiresAt, context),
  };
}

describe('a create', () => {
  test('handles a fence that another process has written, and continues', async () => {
    const raised = { ...stored(''), key: layout.fenceKey, modRevision: 9 };
    const { attempts, fenceOf, create } = creating([{ ...done, succeeded: false, steps: [[], [raised]] }, done, done]);
    expect((await create()).revision).toBe(20);
    await create();
    expect(attempts.map(fenceOf)).toEqual([0, 9, 9]);
  });

  test('continues also when another program has removed the fence', async () => {
    const raised = { ...stored(''), key: layout.fenceKey, modRevision: 9 };
    const unlike = (fence: readonly KeyValue[]): TxnResponse => ({ ...done, succeeded: false, steps: [[], fence] });
    const { attempts, fenceOf, create } = creating([unlike([raised]), done, unlike([]), done]);
    await create();
    await create();
    expect(attempts.map(fenceOf)).toEqual([0, 9, 9, 0]);
  });

  test('that was lost stays unknown, and is not repeated, if its outcome cannot be found out', async () => {
    const { attempts, asked, clock, create } = creating([]);
    const refused = expect(create()).rejects.toMatchObject({ code: 'unknown-outcome' });
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(asked).toEqual([10]);
    clock.advance(5000);
    await refused;
    expect(attempts).toHaveLength(1);
  });

  test('that was refused for lack of space has taken effect, or not, as a read shows', async () => {
    expect(await creating([noSpace()], [stored(event.uid)]).create()).toMatchObject({ key, revision: 15 });
    const code = async (there: readonly KeyValue[] | Error): Promise<unknown> =>
      creating([noSpace()], there)
        .create()
        .catch((error: unknown) => (error as { code?: unknown }).code);
    expect(await code([stored('of somebody else')])).toBe('exists');
    expect(await code([])).toBe('unavailable');
    expect(await code(storeError('unavailable', 'gone'))).toBe('unknown-outcome');
  });
});
