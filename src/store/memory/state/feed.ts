import type { Change, ChangesOptions } from '../../contract.js';
import { storeError } from '../../errors.js';
import { atNextTurn } from '../../../clock/next-turn.js';
import { createParkedIterator, type ParkedIterator } from '../../parked-iterator.js';
import type { MemoryState } from './state.js';

/** The most changes of one batch. */
const BATCH = 1024;

/** The readers of a change log. */
export interface Feeds {
  open(options: ChangesOptions): AsyncIterableIterator<readonly Change[]>;
  /** Wakes the waiting readers after a write, at most once per turn of the event loop. */
  wake(): void;
  /** Ends all readers. */
  close(): void;
}

/** Creates the readers' side of a log. A reader is only a position; unread changes are stored in the log alone. */
export function createFeeds({ log, start, change }: MemoryState): Feeds {
  const readers = new Set<ParkedIterator<readonly Change[]>>();
  let waking = false;
  let closed = false;

  const wakeAll = (): void => {
    waking = false;
    for (const reader of readers) reader.wake();
  };

  return {
    open({ after, signal }) {
      let position = after - start;
      const reader: ParkedIterator<readonly Change[]> = createParkedIterator({
        signal,
        onEnd: () => void readers.delete(reader),
        poll() {
          if (position < log.floor()) {
            throw storeError('expired', `revision ${start + position} is older than the history`, {
              current: start + log.floor(),
            });
          }
          const versions = log.read(position, BATCH);
          position = versions.at(-1)?.step ?? position;
          return versions.length === 0 ? undefined : versions.map(change);
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
