import type { Clock, ClockTimer } from '../../clock/clock.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier, type Observe } from '../../observe/observation.js';
import type { EventStore, Revision } from '../contract/event-store.js';
import { hasCode } from '../contract/errors.js';
import { createBackoff } from '../../clock/backoff.js';
import { createCatchUp } from './catch-up.js';
import { createRing, type Ring } from './ring.js';
import { type Waker, Watcher, type WatcherHub, type WatchOptions } from './watcher.js';
import { createWakeUpBatches } from './wake-up-batches.js';
import { createWakeUpQueue } from './wake-up-queue.js';

/** How long the feed stays open after the last watcher left, in milliseconds. */
const IDLE_MS = 30_000;

export interface WatchHubOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  /** The limit for the ring in bytes: recent changes and their encoded frames. Default: 33,554,432 (32 MiB). */
  readonly maxBytes?: number | undefined;
  /** The maximum number of readers of history for watchers behind the ring. Default: 4. */
  readonly catchUpReaders?: number | undefined;
  /** Receives failures of the store's feed. The hub recovers by itself. */
  readonly observe?: Observe | undefined;
}

export type WatchHub = ReturnType<typeof createWatchHub>;

/**
 * One feed of a store for any number of watchers. One that falls behind the ring is served by a few shared readers of
 * history, and fails with `expired` only beyond that. The hub retries; no change is missed or repeated.
 */
export function createWatchHub(options: WatchHubOptions) {
  const { store, clock, maxBytes = 33_554_432, catchUpReaders = 4 } = options;
  const notify = createNotifier(options.observe);
  const failures = createFailureSeries(`watch feed of ${store.name}`, notify, clock);
  const ring = createRing(maxBytes);
  const watchers = new Set<Watcher>();
  let feed: AbortController | undefined;
  let idle: ClockTimer | undefined;
  /** True once the ring has a start revision. */
  let ready = false;
  let closed = false;

  /** The revision up to which watchers see the ring: all watchers of one wake-up batch see the same changes. */
  let shown: Revision = 0;
  const wakeSoon = createWakeUpQueue(clock);
  const wakeUps = createWakeUpBatches(watchers, clock, () => (shown = ring.head()));

  const begin = async (signal: AbortSignal): Promise<void> => {
    const at = await store.revision({ signal });
    if (signal.aborted) return;
    ring.restart(at);
    ready = true;
    failures.worked();
    wakeUps.wake();
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const backoff = createBackoff(clock);
    const onProgress = (revision: Revision): void => {
      if (signal.aborted) return;
      failures.worked();
      ring.advance(revision);
      wakeUps.wake();
    };
    while (!signal.aborted) {
      try {
        if (!ready) await begin(signal);
        for await (const changes of store.changes({ after: ring.head(), signal, onProgress })) {
          if (signal.aborted) return;
          backoff.reset();
          failures.worked();
          ring.append(changes);
          wakeUps.wake();
        }
        // The feed ended by itself: if the store was closed, this fails with `closed`.
        await store.revision({ signal });
      } catch (error) {
        if (signal.aborted) return;
        if (hasCode(error, 'closed')) return close();
        // History no longer reaches back to the ring: start again; watchers catch up where that is possible.
        if (hasCode(error, 'expired')) ready = false;
        failures.failed(error);
      }
      await backoff.pause(signal);
    }
  };

  const startFeed = (): void => {
    idle?.cancel();
    idle = undefined;
    if (feed !== undefined) return;
    feed = new AbortController();
    runSoon();
  };

  let runSoon!: () => void;
  /** Feeds run in the AsyncLocalStorage context in which the hub was created, not in that of the first watch. */
  const prepareRun = (): void =>
    void new Promise<void>((resolve) => (runSoon = resolve)).then(() => {
      prepareRun();
      // It may have been stopped, and started again, in the meantime.
      if (feed !== undefined) void run(feed.signal);
    });
  prepareRun();

  const stopFeed = (): void => {
    idle?.cancel();
    wakeUps.close();
    feed?.abort();
    feed = undefined;
    ready = false;
    shown = 0;
    ring.restart(0);
  };

  const close = (): void => {
    closed = true;
    stopFeed();
    catchUp.close();
    for (const watcher of [...watchers]) watcher.end();
  };

  const catchUp = createCatchUp({ store, clock, readers: catchUpReaders, close, report: failures.failed });

  const hub: WatcherHub = {
    read(position) {
      if (!ready) return undefined;
      return position < ring.floor() ? 'behind' : ring.read(position, shown);
    },
    head: () => (ready ? shown : 0),
    lag: catchUp.join,
    leave(watcher) {
      if (!watchers.delete(watcher)) return;
      catchUp.leave(watcher);
      if (watchers.size > 0 || feed === undefined) return;
      idle = clock.setTimer(stopFeed, IDLE_MS);
    },
  };

  return {
    /** Creates a watcher. On a closed hub it ends at once. */
    watch(where: WatchOptions): Watcher {
      const watcher = new Watcher(hub, where);
      if (closed || where.signal?.aborted) watcher.end();
      else {
        watchers.add(watcher);
        startFeed();
      }
      return watcher;
    },
    /** Wakes in one of the next turns of the event loop. */
    wakeSoon: (waker: Waker): void => wakeSoon(waker),
    ring: (): ReturnType<Ring['size']> => ring.size(),
    get watchers(): number {
      return watchers.size;
    },
    /** Ends the feed and all watchers, cleanly. May be called twice. */
    close: (): void => close(),
  };
}
