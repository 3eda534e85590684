import type { Revision } from '../contract/event-store.js';
import { eventSize } from '../contract/record.js';
import type { HubEntry } from './hub-entry.js';

/**
 * The most changes a watcher gets at once, and about how many bytes of events: what a client that stopped holds. With four
 * times as much, chunks never were views of shared memory, and 2,000 unread watches held 267 MB.
 */
const MOST = 128;
const MOST_BYTES = 32_768;

/** What a batch is for one kind of watcher. */
export interface BatchFrames {
  /** All frames, joined into few chunks; none when the batch has nothing for this kind. */
  readonly chunks: readonly Uint8Array[];
  /** How many frames these are. */
  readonly count: number;
  /** The representation cannot go on after these. */
  readonly last: boolean;
}

/**
 * Changes that are handed out together, in order. Watchers that keep up are given the same batch, in groups. It holds its
 * frames itself: in a WeakMap they outlive it, because V8 looks at the keys of one only when it collects everything, which
 * it then does up to three times as often.
 */
export class Batch {
  /** At least one. */
  readonly entries: readonly HubEntry[];
  /** That of the last change. */
  readonly revision: Revision;
  /** The size of its events, in bytes. */
  readonly size: number;
  readonly #frames = new Map<string, BatchFrames>();

  constructor(entries: readonly HubEntry[], size: number) {
    this.entries = entries;
    this.size = size;
    this.revision = (entries.at(-1) as HubEntry).change.revision;
  }

  /**
   * What the batch is for one kind of watcher, made once however many ask, so that selectors are evaluated once and all write
   * the same chunk. Equal kinds must mean equal bytes, because version, representation, namespace and selector are the same.
   */
  frames(kind: string, make: () => BatchFrames): BatchFrames {
    let frames = this.#frames.get(kind);
    if (frames === undefined) this.#frames.set(kind, (frames = make()));
    return frames;
  }
}

/** The entries from `start` on, before `limit`, that make a batch. There must be one. */
export function batchAt(
  entries: readonly (HubEntry | undefined)[],
  start: number,
  limit: number = entries.length,
): Batch {
  let bytes = 0;
  let end = start;
  for (; end < limit && end - start < MOST && bytes < MOST_BYTES; end++) {
    bytes += eventSize((entries[end] as HubEntry).change.record.event);
  }
  return new Batch(entries.slice(start, end) as HubEntry[], bytes);
}
