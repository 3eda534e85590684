import type { ClockTimer } from '../../clock/clock.js';
import { isStoreError } from '../errors.js';
import { atNextTurn } from '../next-turn.js';
import type { Revision } from '../record.js';
import type { EtcdClient } from './client.js';
import type { Layout } from './layout.js';
import type { EtcdSettings } from './options.js';

/** Samples for each length of history. */
const SAMPLES = 10;

/** Compacts etcd, behind the history that has to be kept. */
export interface Compaction {
  close(): void;
}

/**
 * Takes note of the latest revision now and then, and compacts up to one that was noted at least `historyMs` ago. A
 * moment is noted after the answer came, so that a revision is never taken for older than it is. A process knows only
 * what it noted itself: several may do the same at once, and a new one begins by waiting.
 */
export function createCompaction(client: EtcdClient, layout: Layout, { clock, historyMs }: EtcdSettings): Compaction {
  const samples: { readonly at: number; readonly revision: Revision }[] = [];
  const over = new AbortController();
  const interval = Math.max(historyMs / SAMPLES, Math.min(historyMs, 1000));
  let timer: ClockTimer | undefined;
  let busy = false;
  let done = 0;

  const step = async (): Promise<void> => {
    const floor = clock.monotonic() - historyMs;
    let target = 0;
    while (samples[0] !== undefined && samples[0].at <= floor) target = samples.shift()?.revision ?? 0;
    if (target > done) {
      try {
        await client.compact(target, client.budget(over.signal));
      } catch (error) {
        // Another replica was here already.
        if (!isStoreError(error) || error.code !== 'expired') throw error;
      }
      done = target;
    }
    const { revision } = await client.range({ key: layout.storeKey, keysOnly: true }, client.budget(over.signal));
    samples.push({ at: clock.monotonic(), revision });
  };

  const run = async (): Promise<void> => {
    // Where it fails, history is kept for longer.
    await step().catch(() => undefined);
    busy = false;
  };

  const tick = (): void => {
    if (over.signal.aborted) return;
    timer = clock.setTimer(tick, interval);
    if (busy) return;
    busy = true;
    // A clock that was moved on fires many timers at once, deadlines among them: requests begin afterwards.
    atNextTurn(() => void run());
  };
  tick();

  return {
    close() {
      over.abort();
      timer?.cancel();
    },
  };
}
