import type { Change } from '../contract.js';
import { eventSize } from '../record.js';

/** What an entry costs besides bytes, roughly. */
const ENTRY_COST = 256;

/** One change on its way to watchers, shared by all of them. */
export interface HubEntry {
  readonly change: Change;
  /**
   * The bytes of this change in one form, encoded once however many watchers ask. `cacheKey` names the form; equal keys
   * must mean equal bytes, for the same change.
   */
  frame(cacheKey: string, encode: () => Uint8Array): Uint8Array;
}

/** A {@link HubEntry} as the ring sees it. */
export interface CountedEntry extends HubEntry {
  /** What it holds in memory, in bytes: its events and the frames made so far. */
  cost(): number;
}

/** Wraps a change. `onGrow` is told the bytes of every frame that is made. */
export function createHubEntry(change: Change, onGrow?: (entry: CountedEntry, bytes: number) => void): CountedEntry {
  let frames: Map<string, Uint8Array> | undefined;
  let cost = ENTRY_COST + eventSize(change.record.event);
  if (change.previous !== undefined) cost += eventSize(change.previous.event);
  const entry: CountedEntry = {
    change,
    cost: () => cost,
    frame(cacheKey, encode) {
      const known = frames?.get(cacheKey);
      if (known !== undefined) return known;
      const bytes = encode();
      frames ??= new Map();
      frames.set(cacheKey, bytes);
      cost += bytes.length;
      onGrow?.(entry, bytes.length);
      return bytes;
    },
  };
  return entry;
}
