import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventStore } from '../../../../src/store/contract/event-store.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { memoryStore } from '../../../../src/store/memory/memory-store.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { createWatchHub } from '../../../../src/store/watch/watch-hub.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';
import { watch, type Watching } from './watching.js';

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('watch' as const), back: fc.integer({ min: -5, max: 60 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read' as const), who: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 6000, 40_000) }) },
);

interface Seen {
  readonly watcher: Watching;
  readonly after: number;
  readonly revisions: number[];
  reading: boolean;
  left: boolean;
}

test('every watcher sees each revision after its own exactly once and in order, whatever happens', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 60, size: 'max' }),
    fc.constantFrom(1, 5_000, 30_000, 10_000_000),
    async (steps, maxBytes) => {
      const clock = fakeClock();
      const memory = memoryStore({ clock });
      let lost = new AbortController();
      const store: EventStore = {
        ...memory,
        changes: async function* (call) {
          const broken = lost.signal;
          const signal = AbortSignal.any([broken, ...(call.signal === undefined ? [] : [call.signal])]);
          yield* memory.changes({ ...call, signal });
          if (broken.aborted) throw storeError('unavailable', 'the engine is away');
        },
      };
      const hub = createWatchHub({ store, clock, maxBytes, catchUpReaders: 2 });
      const start = await store.revision();
      const seen: Seen[] = [];
      let written = 0;

      const write = async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const name = `event-${written++}`;
          await memory.create({ namespace: 'a', name }, sampleEvent({ name }), { expiresAt: clock.now() + 1e9 });
        }
      };
      const read = async (one: Seen): Promise<void> => {
        if (one.reading) return;
        one.reading = true;
        const result = await one.watcher.next();
        one.reading = false;
        if (result.done === true) one.left = true;
        else one.revisions.push(...result.value.entries.map(({ change }) => change.revision));
      };

      for (const action of steps) {
        const one = 'who' in action ? seen[action.who % Math.max(1, seen.length)] : undefined;
        if (action.kind === 'write') await write(action.count);
        else if (action.kind === 'watch') {
          const after = Math.max(start, start + written - action.back);
          seen.push({ watcher: watch(hub, { after }), after, revisions: [], reading: false, left: false });
        } else if (action.kind === 'read' && one !== undefined) void read(one);
        else if (action.kind === 'leave' && one !== undefined) {
          one.left = true;
          await one.watcher.return();
        } else if (action.kind === 'fail') {
          lost.abort();
          lost = new AbortController();
        } else if (action.kind === 'wait') clock.advance(action.ms);
        await nextTurn();
      }
      await write(10);
      const end = start + written;
      const open = seen.filter(({ left, after }) => !left && after < end);
      for (let round = 0; round < 2000 && open.some(({ watcher }) => watcher.position < end); round++) {
        for (const one of open) if (one.watcher.position < end) void read(one);
        if (round % 10 === 9) clock.advance(6000);
        await nextTurn();
      }
      for (const { revisions, after } of seen) {
        expect(revisions).toEqual(revisions.map((_, i) => after + 1 + i));
      }
      for (const { watcher, revisions, after } of open) {
        expect(watcher.position).toBe(end);
        expect(revisions).toHaveLength(end - after);
      }
      hub.close();
      expect(hub.watchers).toBe(0);
      await store.close();
    },
  );
  await fc.assert(property, { numRuns: 80 });
});
