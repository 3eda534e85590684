import { expect, test } from 'vitest';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { CallContext } from '../../../../src/store/etcd/call-context.js';
import type { EtcdClient } from '../../../../src/store/etcd/client.js';
import { expireDue } from '../../../../src/store/etcd/expire.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';

const layout = createLayout('/p');
const newContext = (): CallContext => ({}) as CallContext;

/** An etcd with so many due events, whose transactions end with the result of `txn`. */
function withDue(count: number, txn: (index: number) => Promise<void>): EtcdClient {
  let asked = 0;
  const kvs = Array.from({ length: count }, (_, index) => ({
    key: layout.indexKey({ namespace: 'a', name: `e${index}` }, 1_000),
    value: new Uint8Array(),
    createRevision: 5,
    modRevision: 5,
    version: 1,
  }));
  return {
    range: async () => ({ kvs, more: false, count, revision: 9 }),
    txn: async () => {
      await txn(asked++);
      return { succeeded: true, revision: 10, steps: [] };
    },
  } as unknown as EtcdClient;
}

test('a transaction that hangs delays no others', async () => {
  let done = 0;
  let release = (): void => undefined;
  const client = withDue(100, (index) => {
    if (index === 0) return new Promise((resolve) => (release = resolve));
    done++;
    return Promise.resolve();
  });
  const expired = expireDue(client, layout, 2_000, 500, newContext);
  await expect.poll(() => done).toBe(99);
  release();
  expect(await expired).toBe(100);
});

test('after a failure no further transaction begins, and what was removed before it counts', async () => {
  let asked = 0;
  const client = withDue(100, async (index) => {
    asked++;
    if (index === 20) throw storeError('unavailable', 'away');
  });
  const removed = await expireDue(client, layout, 2_000, 500, newContext);
  expect([removed >= 20, removed < 40, asked < 40]).toEqual([true, true, true]);
});

test('a failure before anything was removed is passed on, and a lost response is not', async () => {
  const failing = (code: 'unavailable' | 'unknown-outcome') =>
    withDue(3, () => Promise.reject(storeError(code, 'lost')));
  await expect(expireDue(failing('unavailable'), layout, 2_000, 500, newContext)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await expireDue(failing('unknown-outcome'), layout, 2_000, 500, newContext)).toBe(0);
});
