import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { Notify } from '../../observe/observation.js';
import type { CacheStatus } from './status.js';

const PERIOD_MS = 1_000;

/** Reports what a watch cache receives and how long reads wait. Its timer runs while there is something to report. */
export function createCacheActivity(store: string, clock: Clock, notify: Notify, status: () => CacheStatus) {
  let changes = 0;
  let timer: ClockTimer | undefined;

  const report = (): void => {
    const { events, bytes, lagMs, revision } = status();
    // Reported once more without changes, so that gauges return to the current state.
    timer = changes > 0 || lagMs > 0 ? clock.setTimer(report, PERIOD_MS) : undefined;
    notify({ type: 'cache.activity', store, changes, events, bytes, lagMs, revision });
    changes = 0;
  };

  return {
    received(count: number): void {
      changes += count;
      timer ??= clock.setTimer(report, PERIOD_MS);
    },
    /** Runs a read that has to wait, which says where its result is from. */
    async waited<T>(read: () => Promise<readonly [result: T, from: 'cache' | 'store']>): Promise<T> {
      const since = clock.monotonic();
      let outcome: 'cache' | 'store' | 'failed' = 'failed';
      try {
        const [result, from] = await read();
        outcome = from;
        return result;
      } finally {
        notify({ type: 'cache.waited', store, durationMs: clock.monotonic() - since, outcome });
      }
    },
    close: (): void => timer?.cancel(),
  };
}
