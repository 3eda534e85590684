import { expect, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Observation } from '../../../../src/observe/observation.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { EtcdClient } from '../../../../src/store/etcd/client.js';
import { startCompaction } from '../../../../src/store/etcd/compaction.js';
import { createLayout } from '../../../../src/store/etcd/layout.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('a compaction that etcd refuses is reported once, and so is the first that succeeds', async () => {
  const clock = fakeClock();
  let revision = 1;
  let allowed = false;
  const client = {
    callContext: () => ({ end: Infinity, signal: undefined, outcomeUnknown: false }),
    bytesInUse: async () => 0,
    range: async () => ({ revision: revision++, kvs: [], more: false, count: 0 }),
    compact: async () => {
      if (!allowed) throw storeError('unavailable', 'etcdserver: permission denied');
    },
  } as unknown as EtcdClient;
  const seen: Observation[] = [];
  const settings = etcdSettings({ endpoints: ['http://127.0.0.1:1'], clock, historyMs: 10_000 });
  const end = startCompaction(client, createLayout('/a'), settings, (observation) => void seen.push(observation));
  const passes = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
  };
  await passes(20_000);
  expect(seen).toMatchObject([{ type: 'error', where: 'compaction of etcd', count: 1 }]);
  allowed = true;
  await passes(25_000);
  expect(seen.map(({ type }) => type)).toEqual(['error', 'recovered']);
  end();
});
