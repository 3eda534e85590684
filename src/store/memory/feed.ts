import type { Change, ChangesOptions } from '../contract.js';
import { storeError } from '../errors.js';
import { atNextTurn } from '../next-turn.js';
import { createParkedIterator, type ParkedIterator } from '../parked-iterator.js';
import type { ChangeLog } from './change-log.js';

/** The most changes of one batch. */
const BATCH = 1024;

/** The readers of a change log. */
export interface Feeds {
  open(options: ChangesOptions): AsyncIterableIterator<readonly Change[]>;
  /** Something was written: wakes the readers that wait, once per turn of the event loop however much is written. */
  wake(): void;
  /** Ends all. */
  close(): void;
}

/** Makes the reading side of a log. A reader is only a position: what it has not asked for is kept by the log alone. */
export function createFeeds(log: ChangeLog): Feeds {
  const readers = new Set<ParkedIterator<readonly Change[]>>();
  let waking = false;
  let closed = false;

  const wakeAll = (): void => {
    waking = false;
    for (const reader of readers) reader.wake();
  };

  return {
    open({ after, signal }) {
      let position = after;
      const reader: ParkedIterator<readonly Change[]> = createParkedIterator({
        signal,
        onEnd: () => void readers.delete(reader),
        poll() {
          if (position < log.floor()) {
            throw storeError('expired', `revision ${position} is older than the history`, { current: log.floor() });
          }
          const changes = log.read(position, BATCH);
          position = changes.at(-1)?.revision ?? position;
          return changes.length === 0 ? undefined : changes;
        },
      });
      if (!closed && !signal?.aborted) readers.add(reader);
      return reader;
    },
    wake() {
      if (waking || readers.size === 0) return;
      waking = true;
      atNextTurn(wakeAll);
    },
    close() {
      closed = true;
      for (const reader of [...readers]) reader.end();
    },
  };
}
