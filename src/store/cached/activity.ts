import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { Notify } from '../../observe/observation.js';
import type { CacheStatus } from './status.js';

/** How often `cache.activity` is observed at most. */
const PERIOD_MS = 1_000;

/** Tells what a watch cache receives and how long reads wait for it. */
export interface CacheActivity {
  /** The feed brought so many changes. */
  readonly received: (changes: number) => void;
  /** Runs a read that has to wait; `through`: whether it went to the store in the end. */
  readonly waited: <T>(read: (through: () => void) => Promise<T>) => Promise<T>;
  readonly close: () => void;
}

/** Makes a {@link CacheActivity}. Its timer runs only while changes come. */
export function createCacheActivity(
  store: string,
  clock: Clock,
  notify: Notify,
  status: () => CacheStatus,
): CacheActivity {
  let changes = 0;
  let timer: ClockTimer | undefined;

  const tell = (): void => {
    const { events, bytes, lagMs, revision } = status();
    // Once more with nothing in it, so that gauges go back to what is.
    timer = changes > 0 || lagMs > 0 ? clock.setTimer(tell, PERIOD_MS) : undefined;
    notify({ type: 'cache.activity', store, changes, events, bytes, lagMs, revision });
    changes = 0;
  };

  return {
    received(count) {
      changes += count;
      timer ??= clock.setTimer(tell, PERIOD_MS);
    },
    async waited(read) {
      const since = clock.monotonic();
      let isThrough = false;
      let success = false;
      try {
        const result = await read(() => (isThrough = true));
        success = true;
        return result;
      } finally {
        notify({
          type: 'cache.waited',
          store,
          durationMs: clock.monotonic() - since,
          outcome: !success ? 'failed' : isThrough ? 'store' : 'cache',
        });
      }
    },
    close: () => timer?.cancel(),
  };
}
