import { expect, test } from 'vitest';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { createCatchUp } from '../../../../src/store/watch/catch-up.js';
import type { Batch } from '../../../../src/store/watch/batch.js';
import { createWatcher } from '../../../../src/store/watch/watcher.js';
import { nextTurn } from '../../../../src/clock/next-turn.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const later = { expiresAt: 4_102_444_800_000_000 };

test.each(['read on', 'leave'])(
  'watchers that read slowly and then %s hold little of what was read for them, and nothing at the end',
  async (then) => {
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
    const catchUp = createCatchUp({ store, clock, readers: 4, floor: () => latest, close: () => undefined, report });
    let handed = 0;
    let held = 0;
    const watchers = Array.from({ length: 20 }, () => {
      const watcher = createWatcher(
        {
          read: (position) => (position < latest ? 'behind' : undefined),
          head: () => latest,
          lag: (one) => catchUp.join(one),
          leave: (one) => catchUp.leave(one),
        },
        { after: start, sleeper: { wake: () => undefined } },
      );
      const give = watcher.give.bind(watcher);
      watcher.give = (batches: readonly Batch[], taken) => {
        const size = batches.reduce((sum, batch) => sum + batch.size, 0);
        handed += size;
        held += size;
        give(batches, () => {
          held -= size;
          taken();
        });
      };
      return watcher;
    });
    for (const watcher of watchers) expect(watcher.poll()).toBeUndefined();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    // A page of history is 9 MB: three have all of it, the others begin.
    expect(handed).toBeGreaterThan(20_000_000);
    expect(held).toBeLessThan(34_000_000);
    if (then === 'leave') {
      for (const watcher of watchers) await watcher.return();
      expect(held).toBe(0);
      catchUp.close();
      return;
    }
    for (const watcher of watchers) {
      const seen: number[] = [];
      for (let polls = 0; polls < 5000 && seen.length < 300; polls++) {
        const batch = watcher.poll();
        if (batch === undefined) await nextTurn();
        else if (batch !== 'end') seen.push(...batch.entries.map(({ change }) => change.revision - start));
      }
      expect(seen).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    }
    expect(held).toBe(0);
    catchUp.close();
  },
);
