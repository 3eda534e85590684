import type { Revision } from '../contract/event-store.js';
import { eventSize } from '../contract/record.js';
import type { HubEntry } from './hub-entry.js';

/**
 * The limits of what a watcher gets at once, and so of what a client that stopped reading keeps in memory. With four
 * times these limits chunks were never views of shared memory, and 2,000 unread watches held 267 MB.
 */
const MAX_CHANGES = 128;
const MAX_BYTES = 32_768;

export interface BatchFrames {
  /** All frames, joined into few chunks; none when nothing in the batch is for these watches. */
  readonly chunks: readonly Uint8Array[];
  readonly count: number;
  /** The representation cannot continue after these frames. */
  readonly last: boolean;
}

/**
 * Changes for all watchers that keep up. It stores its frames itself: V8 clears a WeakMap only in a full garbage
 * collection, which then happens up to three times as often.
 */
export class Batch {
  readonly entries: readonly HubEntry[];
  readonly revision: Revision;
  readonly size: number;
  readonly #frames = new Map<string, BatchFrames>();

  constructor(entries: readonly HubEntry[], size: number) {
    this.entries = entries;
    this.size = size;
    this.revision = (entries.at(-1) as HubEntry).change.revision;
  }

  /** The frames are created once for all watches with the same key: equal keys must mean equal bytes. */
  frames(key: string, make: () => BatchFrames): BatchFrames {
    let frames = this.#frames.get(key);
    if (frames === undefined) this.#frames.set(key, (frames = make()));
    return frames;
  }
}

export function batchAt(
  entries: readonly (HubEntry | undefined)[],
  start: number,
  limit: number = entries.length,
): Batch {
  let bytes = 0;
  let end = start;
  for (; end < limit && end - start < MAX_CHANGES && bytes < MAX_BYTES; end++) {
    bytes += eventSize((entries[end] as HubEntry).change.record.event);
  }
  return new Batch(entries.slice(start, end) as HubEntry[], bytes);
}
