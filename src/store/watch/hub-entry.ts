import type { Change } from '../contract.js';
import { eventSize } from '../record.js';
import type { FrameMemory } from './frame-memory.js';

/** What an entry costs besides bytes, roughly. */
const ENTRY_COST = 256;

/** One change on its way to watchers, shared by all of them. */
export interface HubEntry {
  readonly change: Change;
  /**
   * The bytes of this change in one form and as one type of frame, encoded once however many watchers ask. Equal names of
   * both must mean equal bytes, for the same change.
   */
  frame(form: string, type: string, encode: () => Uint8Array): Uint8Array;
}

/** A {@link HubEntry} as the ring sees it. */
export interface CountedEntry extends HubEntry {
  /** What it holds in memory, in bytes: its events and the frames made so far. */
  cost(): number;
}

/** For the entries of one ring. */
export interface EntryKeeping {
  /** Where their frames are kept. */
  readonly memory: FrameMemory;
  /** Told the bytes of every frame that is made. */
  onGrow(entry: CountedEntry, bytes: number): void;
}

/** Wraps a change. `keeping`: absent for an entry that nobody keeps. */
export function createHubEntry(change: Change, keeping?: EntryKeeping): CountedEntry {
  let frames: Map<string, Uint8Array> | undefined;
  let cost = ENTRY_COST + eventSize(change.record.event);
  if (change.previous !== undefined) cost += eventSize(change.previous.event);
  const entry: CountedEntry = {
    change,
    cost: () => cost,
    frame(form, type, encode) {
      const id = `${form} ${type}`;
      const known = frames?.get(id);
      if (known !== undefined) return known;
      const made = encode();
      const bytes = keeping?.memory.keep(form, made) ?? made;
      frames ??= new Map();
      frames.set(id, bytes);
      cost += bytes.length;
      keeping?.onGrow(entry, bytes.length);
      return bytes;
    },
  };
  return entry;
}
