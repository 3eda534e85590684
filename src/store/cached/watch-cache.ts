import { nextTurn, type Clock } from '../../clock/clock.js';
import { pause } from '../../clock/abortable.js';
import { createBackoff, createDelays } from '../../clock/backoff.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import type { Change, EventStore, ListPage, Revision } from '../contract/event-store.js';
import { hasCode } from '../contract/errors.js';
import { recordsSize } from '../contract/record.js';
import type { Bounds } from '../memory/bounds.js';
import { createReplica, type Replica, type ReplicaLimits } from '../memory/replica.js';

/**
 * How many events a page has: few at first, then as many as fit into `REQUESTED_BYTES`, since stores return copies. A page
 * arrives in one turn of the event loop (decision 75).
 */
const FIRST_PAGE = 100;
const LARGEST_PAGE = 250;
const REQUESTED_BYTES = 4_194_304;
/** How long events are loaded in one turn of the event loop: V8 marks garbage between them. */
const LOADED_MS = 2;
/** Changes that are applied in one turn of the event loop: 1 to 3 ms. */
const APPLIED_IN_A_TURN = 128;
/** The first and the longest pause before a state that did not fit is read again. */
const FULL_FIRST_MS = 60_000;
const FULL_MAX_MS = 3_600_000;

export interface WatchCacheOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly limits: ReplicaLimits;
  readonly bounds: Bounds;
  /** How long the cache may be behind the latest revision at the end of its list; after that it is used anyway. */
  readonly readyWithinMs: number;
  readonly failures: FailureSeries;
  onState(state: 'filling' | 'ready' | 'full', error?: unknown): void;
  onChanges(count: number): void;
}

export type WatchCache = ReturnType<typeof createWatchCache>;

/** Fills a replica of a store with one list and keeps it up to date by the store's feed, until it is closed. */
export function createWatchCache(options: WatchCacheOptions) {
  const { store, clock, failures, onState } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const listeners = new Set<() => void>();
  let contents: Replica | undefined;
  let ready = false;
  let readyAt = 0;

  const announce = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const drop = (): void => {
    contents?.close();
    contents = undefined;
    ready = false;
    announce();
  };

  /** Reads the store's state at one revision. Fails with `full` if it does not fit. */
  const fill = async (): Promise<Replica> => {
    let page = await store.list({ limit: FIRST_PAGE, signal });
    const { revision: at } = page;
    const replica = createReplica(clock, at, options.limits, options.bounds);
    try {
      for (;;) {
        await load(replica, page, clock, signal);
        contents = replica;
        const { next: after } = page;
        if (after === undefined) return replica;
        page = await store.list({ at, after, limit: nextLimit(page), signal });
      }
    } catch (error) {
      replica.close();
      throw error;
    }
  };

  const applyAll = async (replica: Replica, changes: readonly Change[], applied: () => void): Promise<void> => {
    for (let first = 0; first < changes.length; first += APPLIED_IN_A_TURN) {
      if (first > 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      for (const change of changes.slice(first, first + APPLIED_IN_A_TURN)) replica.apply(change);
      applied();
    }
  };

  /** Keeps a replica up to date. Fails with the error that makes it useless, for example `expired` or `full`. */
  const follow = async (replica: Replica): Promise<void> => {
    const backoff = createBackoff(clock);
    /** True while changes are applied. A failed feed is retried, but an error here ends the replica. */
    let isApplying = false;
    /** The latest revision when the list had been read. */
    let target: Revision = Infinity;
    const becomeReady = (): void => {
      // The list of this replica may have been given up while the latest revision was requested.
      if (ready || contents !== replica) return;
      ready = true;
      readyAt = clock.monotonic();
      timer.cancel();
      onState('ready');
      announce();
    };
    const applied = (): void => {
      failures.worked();
      if (ready) announce();
      else if (replica.revision() >= target) becomeReady();
    };
    const timer = clock.setTimer(becomeReady, options.readyWithinMs);
    const onProgress = (revision: Revision): void => {
      if (contents !== replica) return;
      replica.advance(revision);
      applied();
    };
    const aim = async (): Promise<void> => {
      target = await store.revision({ signal });
      if (replica.revision() >= target) becomeReady();
      else store.requestProgress?.();
    };
    // If this fails, the timer makes the cache ready.
    aim().catch(() => undefined);
    try {
      for (;;) {
        try {
          for await (const changes of store.changes({ after: replica.revision(), signal, onProgress })) {
            signal.throwIfAborted();
            backoff.reset();
            options.onChanges(changes.length);
            isApplying = true;
            await applyAll(replica, changes, applied);
            isApplying = false;
          }
          signal.throwIfAborted();
          // The feed ended by itself: if the store was closed, this fails with `closed`.
          await store.revision({ signal });
        } catch (error) {
          const isOver = hasCode(error, 'expired', 'closed');
          if (signal.aborted || isApplying || isOver) throw error;
          failures.failed(error);
        }
        await backoff.pause(signal);
        signal.throwIfAborted();
      }
    } finally {
      timer.cancel();
    }
  };

  const run = async (): Promise<void> => {
    const backoff = createBackoff(clock);
    const pauses = createDelays(FULL_FIRST_MS, FULL_MAX_MS);
    onState('filling');
    while (!signal.aborted) {
      try {
        await follow(await fill());
      } catch (error) {
        if (signal.aborted) return;
        const wasReady = ready;
        drop();
        if (hasCode(error, 'closed')) return;
        if (hasCode(error, 'full')) {
          onState('full', error);
          if (wasReady && clock.monotonic() - readyAt > FULL_MAX_MS) pauses.reset();
          await pause(clock, pauses.next(), signal);
          onState('filling');
        } else {
          if (wasReady) {
            onState('filling', error);
            backoff.reset();
          }
          failures.failed(error);
          await backoff.pause(signal);
        }
      }
    }
  };
  // Deferred, so that the caller has the cache before the first callback.
  queueMicrotask(() => void run());

  return {
    /** The replica that reads may use; `undefined` while it is being filled, and when the events do not fit. */
    get replica(): Replica | undefined {
      return ready ? contents : undefined;
    },
    /** The same replica, also while it is being filled. */
    get contents(): Replica | undefined {
      return contents;
    },
    /** Calls the listener when the replica has changed, was replaced or dropped. Returns its removal. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Ends the list and the feed. */
    close(): void {
      closing.abort();
      drop();
    },
  };
}

async function load(replica: Replica, { records }: ListPage, clock: Clock, signal: AbortSignal): Promise<void> {
  let until = 0;
  for (const record of records) {
    if (clock.monotonic() >= until) {
      await nextTurn();
      signal.throwIfAborted();
      until = clock.monotonic() + LOADED_MS;
    }
    replica.load(record);
  }
}

function nextLimit({ records }: ListPage): number {
  const fitting = Math.floor((REQUESTED_BYTES * Math.max(records.length, 1)) / (recordsSize(records) + 1));
  return Math.min(Math.max(fitting, 1), LARGEST_PAGE);
}
