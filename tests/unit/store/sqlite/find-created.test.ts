import { expect, onTestFinished, test } from 'vitest';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Change, EventStore } from '../../../../src/store/contract/event-store.js';
import type { LoadedDriver } from '../../../../src/store/sqlite/driver.js';
import { createResolvingStore } from '../../../../src/store/sqlite/sqlite-store.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { createBench, START } from './sync-store-bench.js';
import { inThreadHost } from './in-thread.js';

const { driver, newPath } = await createBench();
const later = { expiresAt: START + 3_600_000_000 };
const key = { namespace: 'default', name: 'a' };

/** A create whose commit failed, and whether it happened is unknown until `repeat` ends the failure of the disk. */
async function createOfUnknownOutcome({ happened, historyMs }: { happened: boolean; historyMs?: number }) {
  const broken = { opening: false, commit: false, checkpoint: false };
  const failing: LoadedDriver = {
    open(path) {
      if (broken.opening) throw new Error('the disk does not answer');
      const connection = driver.open(path);
      return {
        ...connection,
        exec(sql) {
          const fails = sql === 'COMMIT' && broken.commit;
          connection.exec(fails && !happened ? 'ROLLBACK' : sql);
          if (fails) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC', rawCode: 1034 });
        },
        prepare(sql) {
          if (broken.checkpoint && sql.includes('wal_checkpoint')) throw new Error('the log cannot be written');
          return connection.prepare(sql);
        },
      };
    },
  };
  const clock = fakeClock({ now: START });
  const options = { path: newPath(), clock, startAt: 1, reserveBytes: 0, historyMs };
  const store = createResolvingStore(options, inThreadHost(failing, options), clock);
  onTestFinished(() => store.close());
  await store.create({ namespace: 'default', name: 'first' }, sampleEvent({ name: 'first' }), later);
  Object.assign(broken, { commit: true, opening: true });
  const creating = store.create(key, sampleEvent(), later);
  creating.catch(() => undefined);
  // The first repetition follows at once, and fails.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  Object.assign(broken, { commit: false, opening: false });
  return { broken, store, creating, clock, repeat: () => clock.advance(1000) };
}

async function changesOf(store: EventStore, after: number, count: number): Promise<string[]> {
  const seen: Change[] = [];
  for await (const changes of store.changes({ after })) {
    seen.push(...changes);
    if (seen.length >= count) break;
  }
  return seen.map(({ type, key: { name }, revision }) => `${type} ${name} ${revision}`);
}

test('a create whose outcome is unknown does not restore an event that was deleted before its repetition', async () => {
  const { store, creating, repeat } = await createOfUnknownOutcome({ happened: true });
  expect(await store.remove(key)).toMatchObject({ revision: 4 });
  repeat();
  expect(await creating).toMatchObject({ key, revision: 3 });
  expect(await store.get(key)).toBeUndefined();
  await store.create({ namespace: 'default', name: 'last' }, sampleEvent({ name: 'last' }), later);
  expect(await changesOf(store, 2, 3)).toEqual(['put a 3', 'delete a 4', 'put last 5']);
});

test('a create whose outcome is unknown is repeated where nothing was written', async () => {
  const { store, creating, repeat } = await createOfUnknownOutcome({ happened: false });
  await expect(store.remove(key)).rejects.toMatchObject({ code: 'not-found' });
  repeat();
  expect(await creating).toMatchObject({ key, revision: 3 });
  expect(await changesOf(store, 2, 1)).toEqual(['put a 3']);
});

test('a create of unknown outcome is not acknowledged before it is on disk', async () => {
  const { broken, store, creating, repeat } = await createOfUnknownOutcome({ happened: true });
  broken.checkpoint = true;
  expect(await store.get(key)).toMatchObject({ revision: 3 });
  let done = false;
  void creating.finally(() => (done = true));
  repeat();
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(done).toBe(false);
  broken.checkpoint = false;
  repeat();
  expect(await creating).toMatchObject({ revision: 3 });
});

test('the outcome of a create stays unknown where its history was dropped', async () => {
  const { store, creating, clock, repeat } = await createOfUnknownOutcome({ happened: true, historyMs: 0 });
  await store.remove(key);
  clock.advance(1);
  for (const name of ['b', 'c', 'd']) {
    await store.create({ namespace: 'default', name }, sampleEvent({ name }), later);
    await store.remove({ namespace: 'default', name });
  }
  repeat();
  await expect(creating).rejects.toMatchObject({ code: 'unknown-outcome' });
  expect(await store.get(key)).toBeUndefined();
});
