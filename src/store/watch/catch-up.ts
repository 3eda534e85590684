import { type Clock, nextTurn } from '../../clock/clock.js';
import type { EventStore, Revision } from '../contract/event-store.js';
import { hasCode } from '../contract/errors.js';
import { createBackoff } from '../../clock/backoff.js';
import { batchAt, type Batch } from './batch.js';
import { HubEntry } from './hub-entry.js';
import { TURN_MS } from './wake-up-queue.js';
import type { Watcher } from './watcher.js';

/** A watcher that is less than this many revisions ahead of a reader waits for it instead of getting a new reader. */
const NEAR = 1000;
/** The most bytes of history that all watchers hold. Beyond that each gets one batch, and history is read again. */
const MAX_DELIVERED_BYTES = 33_554_432;

export interface CatchUpOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly readers: number;
  close(): void;
  report(error: unknown): void;
}

interface Reader {
  position: Revision;
  readonly abort: AbortController;
}

function inBatches(entries: readonly HubEntry[]): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0; at < entries.length; at += batches.at(-1)?.entries.length ?? 0) batches.push(batchAt(entries, at));
  return batches;
}

/** Serves watchers behind the ring from the store's history, with few readers that are shared. */
export function createCatchUp(options: CatchUpOptions) {
  const { store, clock } = options;
  /** Watchers that wait, the longest waiting first. */
  const waiting = new Set<Watcher>();
  const readers = new Set<Reader>();
  const backoff = createBackoff(clock);
  const closing = new AbortController();
  let paused = false;
  let scheduled = false;
  let deliveredBytes = 0;

  const deliver = (watcher: Watcher, batches: readonly Batch[]): void => {
    const all = batches.reduce((sum, { size }) => sum + size, 0);
    const few = deliveredBytes + all > MAX_DELIVERED_BYTES;
    const size = few ? 0 : all;
    deliveredBytes += size;
    watcher.deliver(few ? batches.slice(0, 1) : batches, () => (deliveredBytes -= size));
  };

  const isNear = (reader: Reader, watcher: Watcher): boolean =>
    reader.position <= watcher.position && watcher.position - reader.position < NEAR;

  const isNeeded = (reader: Reader): boolean => {
    // Not a copy: when many watchers end at once, this is called for each of them.
    for (const watcher of waiting) if (isNear(reader, watcher)) return true;
    return false;
  };

  const takeWaiting = (from: Revision, to: Revision): Watcher[] => {
    const taken = [...waiting].filter(({ position }) => position >= from && position < to);
    for (const watcher of taken) waiting.delete(watcher);
    return taken;
  };

  const dispatch = (): void => {
    scheduled = false;
    if (paused || closing.signal.aborted) return;
    for (const watcher of waiting) {
      if (readers.size >= options.readers) return;
      if ([...readers].some((reader) => isNear(reader, watcher))) continue;
      const reader: Reader = { position: watcher.position, abort: new AbortController() };
      readers.add(reader);
      void run(reader);
    }
  };

  /** Reads while a watcher near the reader waits; late ones get a new reader. False when the feed ended by itself. */
  const read = async (reader: Reader): Promise<boolean> => {
    const { signal } = reader.abort;
    const onProgress = (revision: Revision): void => {
      const from = reader.position;
      if (signal.aborted || revision <= from) return;
      reader.position = revision;
      for (const watcher of takeWaiting(from, revision)) watcher.skip(revision);
      if (!isNeeded(reader)) reader.abort.abort();
    };
    const feed = store.changes({ after: reader.position, signal, onProgress })[Symbol.asyncIterator]();
    try {
      while (!signal.aborted && isNeeded(reader)) {
        const result = await feed.next();
        if (result.done === true || signal.aborted) return signal.aborted;
        backoff.reset();
        const entries = result.value.map((change) => new HubEntry(change));
        // Watchers at the same position get the same batches, so that frames are created once for them.
        const batches = inBatches(entries);
        const from = reader.position;
        reader.position = entries.at(-1)?.change.revision ?? from;
        let until = clock.monotonic() + TURN_MS;
        for (const watcher of takeWaiting(from, reader.position)) {
          if (clock.monotonic() >= until) {
            await nextTurn();
            until = clock.monotonic() + TURN_MS;
          }
          const { position } = watcher;
          const isMissing = ({ change }: HubEntry): boolean => change.revision > position;
          deliver(watcher, position === from ? batches : inBatches(entries.filter(isMissing)));
        }
        await nextTurn();
      }
      return true;
    } finally {
      void feed.return?.()?.catch(() => undefined);
    }
  };

  const run = async (reader: Reader): Promise<void> => {
    let failed = true;
    try {
      failed = !(await read(reader));
    } catch (error) {
      if (closing.signal.aborted) return;
      if (hasCode(error, 'closed')) return options.close();
      if (hasCode(error, 'expired')) {
        failed = false;
        for (const watcher of takeWaiting(0, reader.position + 1)) watcher.fail(error);
      } else if (reader.abort.signal.aborted) failed = false;
      else options.report(error);
    } finally {
      reader.abort.abort();
      readers.delete(reader);
    }
    if (failed && !paused) {
      paused = true;
      await backoff.pause(closing.signal);
      paused = false;
    }
    dispatch();
  };

  return {
    join(watcher: Watcher): void {
      waiting.add(watcher);
      if (scheduled) return;
      // Deferred, so that watchers that join at the same moment share a reader.
      scheduled = true;
      queueMicrotask(dispatch);
    },
    leave(watcher: Watcher): void {
      if (!waiting.delete(watcher)) return;
      for (const reader of readers) if (!isNeeded(reader)) reader.abort.abort();
    },
    close(): void {
      closing.abort();
      for (const reader of readers) reader.abort.abort();
      waiting.clear();
    },
  };
}
