import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isStoreError } from '../../../src/store/contract/errors.js';
import { etcdStore } from '../../../src/store/etcd/etcd-store.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';
import { hasEtcd, startEtcd, type Cluster } from './cluster.js';

const expiresAt = 4_102_444_800_000_000;
const MIB = 1_048_576;

describe.skipIf(!hasEtcd()).each(['grpc', 'gateway'] as const)('the history of etcd, over %s', (transport) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  afterAll(() => cluster.stop());

  test('is bounded in bytes before it is bounded in time', async () => {
    const clock = fakeClock();
    const store = etcdStore({
      endpoints: cluster.endpoints,
      transport,
      prefix: `/bytes/${transport}`,
      clock,
      compactHistory: true,
      historyMaxBytes: 2 * MIB,
    });
    const key = { namespace: 'a', name: 'a' };
    const event = sampleEvent({ name: 'a', note: 'x'.repeat(100_000) });
    const first = await store.create(key, event, { expiresAt });
    const readable = (at: number): Promise<boolean | string> =>
      store.list({ limit: 1, at }).then(
        () => true,
        (error: unknown) => (isStoreError(error) ? error.code : 'another failure'),
      );
    const revisions = [first.revision];
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 5; i++) {
        const record = await store.replace(key, event, { expected: revisions.at(-1) ?? 0, expiresAt });
        revisions.push(record.revision);
      }
      // etcd updates its size when it commits to its file, every 100 ms.
      await sleep(150);
      clock.advance(5000);
      await sleep(50);
    }
    // A tenth of history's time has passed, and 6 MB were written.
    expect(await readable(first.revision)).toBe('expired');
    expect(await readable(revisions.at(-6) ?? 0)).toBe(true);
    await store.close();
  });
});
