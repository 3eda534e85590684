import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { createCatchUp } from '../../../../src/store/watch/catch-up.js';
import type { Batch } from '../../../../src/store/watch/batch.js';
import { Watcher } from '../../../../src/store/watch/watcher.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const later = { expiresAt: 4_102_444_800_000_000 };

/** 300 events of 30 kB in history, and watchers before them that only read when the test does. */
async function slowReaders() {
  const clock = fakeClock();
  const store = memoryStore({ clock, maxBytes: 500_000_000 });
  const start = await store.revision();
  for (let i = 0; i < 300; i++) {
    const name = `event-${i}`;
    await store.create({ namespace: 'default', name }, sampleEvent({ name, note: 'x'.repeat(30_000) }), later);
  }
  const latest = await store.revision();
  const report = (error: unknown): never => {
    throw error;
  };
  const catchUp = createCatchUp({ store, clock, readers: 4, close: () => undefined, report });
  onTestFinished(() => catchUp.close());
  let handed = 0;
  let held = 0;
  const follow = (wake = (): void => undefined): Watcher => {
    const watcher = new Watcher(
      {
        read: (position) => (position < latest ? 'behind' : undefined),
        head: () => latest,
        lag: (one) => catchUp.join(one),
        leave: (one) => catchUp.leave(one),
      },
      { after: start, waker: { wake } },
    );
    const give = watcher.deliver.bind(watcher);
    watcher.deliver = (batches: readonly Batch[], taken) => {
      const size = batches.reduce((sum, batch) => sum + batch.size, 0);
      handed += size;
      held += size;
      give(batches, () => {
        held -= size;
        taken();
      });
    };
    return watcher;
  };
  /** The revisions it sees, counted from the first. */
  const readAll = async (watcher: Watcher): Promise<number[]> => {
    const seen: number[] = [];
    for (let polls = 0; polls < 5000 && seen.length < 300; polls++) {
      const batch = watcher.poll();
      if (batch === undefined) await nextTurn();
      else if (batch !== 'end') seen.push(...batch.entries.map(({ change }) => change.revision - start));
    }
    return seen;
  };
  const ask = async (watchers: readonly Watcher[]): Promise<void> => {
    for (const watcher of watchers) expect(watcher.poll()).toBeUndefined();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
  };
  return { clock, follow, ask, readAll, handed: () => handed, held: () => held };
}

const ALL = Array.from({ length: 300 }, (_, i) => i + 1);

test.each(['read on', 'leave'])(
  'watchers that read slowly and then %s hold little of what was read for them, and nothing at the end',
  async (then) => {
    const { follow, ask, readAll, handed, held } = await slowReaders();
    const watchers = Array.from({ length: 20 }, () => follow());
    await ask(watchers);
    // A page of history is 9 MB: three have all of it, the others begin.
    expect(handed()).toBeGreaterThan(20_000_000);
    expect(held()).toBeLessThan(34_000_000);
    for (const watcher of watchers) {
      if (then === 'leave') watcher.end();
      else expect(await readAll(watcher)).toEqual(ALL);
    }
    expect(held()).toBe(0);
  },
);

test('watchers that have read everything they were given take no memory from those that come later', async () => {
  const { follow, ask, readAll, handed, held } = await slowReaders();
  const watchers = Array.from({ length: 20 }, () => follow());
  await ask(watchers);
  const before = held();
  for (const watcher of watchers.slice(0, 3)) expect(await readAll(watcher)).toEqual(ALL);
  expect(before - held()).toBeGreaterThan(25_000_000);
  const given = handed();
  await ask([follow()]);
  expect(handed() - given).toBeGreaterThan(8_000_000);
});

test('watchers that take long with what was read for them get it over several turns of the event loop', async () => {
  const { clock, follow, readAll } = await slowReaders();
  const woken: number[] = [];
  let turn = 0;
  const wake = (): void => {
    woken.push(turn);
    clock.advance(3);
  };
  const watchers = Array.from({ length: 6 }, () => follow(wake));
  for (const watcher of watchers) expect(watcher.poll()).toBeUndefined();
  for (; turn < 20; turn++) await nextTurn();
  const ofTurn = woken.map((one) => woken.filter((other) => other === one).length);
  expect(ofTurn).toEqual([2, 2, 2, 2, 2, 2]);
  for (const watcher of watchers) expect(await readAll(watcher)).toEqual(ALL);
});
