import type { Revision } from '../../../../src/store/contract/event-store.js';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';
import type { Batch } from '../../../../src/store/watch/batch.js';
import type { WatchHub } from '../../../../src/store/watch/watch-hub.js';
import type { WatchOptions } from '../../../../src/store/watch/watcher.js';

/** A watch of a hub that is read as an iterator. */
export interface Watching extends ParkedIterator<Batch> {
  readonly position: Revision;
}

export function watch(hub: WatchHub, { after, signal }: Omit<WatchOptions, 'waker'>): Watching {
  const parked = new ParkedIterator<Batch>({ poll: () => watcher.poll(), onEnd: () => watcher.end() });
  const watcher = hub.watch({ after, signal, waker: parked });
  return Object.defineProperty(parked, 'position', { get: () => watcher.position }) as Watching;
}
