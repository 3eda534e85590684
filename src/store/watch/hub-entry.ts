import type { Change } from '../contract/event-store.js';
import { eventSize } from '../contract/record.js';
import type { FrameMemory } from './frame-memory.js';

/** What an entry and a frame cost besides their bytes, roughly. */
const ENTRY_COST = 256;
const FRAME_COST = 128;

/** For the entries of one ring. */
export interface EntryStorage {
  /** Where their frames are kept. */
  readonly memory: FrameMemory;
  /** Called with the cost in bytes of each frame that is created. */
  onGrow(entry: HubEntry, bytes: number): void;
}

/** A frame, and those created before it. */
interface Made {
  readonly form: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly earlier: Made | undefined;
}

/**
 * One change on its way to watchers, shared by all of them. A class with a list of frames, because the ring holds tens of
 * thousands of them, and most have one frame: closures and a Map take 450 bytes more, a seventh of all that a watched event
 * leaves behind, and the more that is, the more often V8 collects everything.
 */
export class HubEntry {
  readonly change: Change;
  readonly #storage: EntryStorage | undefined;
  #made: Made | undefined;
  #cost: number;

  /** `storage`: absent for an entry that is not kept. */
  constructor(change: Change, storage?: EntryStorage) {
    this.change = change;
    this.#storage = storage;
    this.#cost = ENTRY_COST + eventSize(change.record.event);
    if (change.previous !== undefined) this.#cost += eventSize(change.previous.event);
  }

  /** Memory taken by its events and frames, in bytes. */
  cost(): number {
    return this.#cost;
  }

  /**
   * The bytes of this change in one form and as one type of frame, encoded once however many watchers ask. Equal names of
   * both must mean equal bytes for the same change.
   */
  frame(form: string, type: string, encode: () => Uint8Array): Uint8Array {
    for (let made = this.#made; made !== undefined; made = made.earlier) {
      if (made.type === type && made.form === form) return made.bytes;
    }
    const own = encode();
    const bytes = this.#storage?.memory.keep(form, own) ?? own;
    this.#made = { form, type, bytes, earlier: this.#made };
    const cost = FRAME_COST + bytes.length;
    this.#cost += cost;
    this.#storage?.onGrow(this, cost);
    return bytes;
  }
}
