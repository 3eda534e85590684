import type { Change } from '../contract/event-store.js';
import { eventSize } from '../contract/record.js';
import type { FrameMemory } from './frame-memory.js';

/** The approximate memory of an entry and of a frame besides their bytes. */
const ENTRY_COST = 256;
const FRAME_COST = 128;

export interface EntryStorage {
  readonly memory: FrameMemory;
  /** Called with the cost in bytes of each frame that is created. */
  onGrow(entry: HubEntry, bytes: number): void;
}

interface Made {
  readonly form: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly earlier: Made | undefined;
}

/**
 * One change, shared by all watchers. A class with a linked list of frames, because the ring holds tens of thousands,
 * and most have one frame: closures and a Map take 450 bytes more, a seventh of all memory that a watched event takes.
 */
export class HubEntry {
  readonly change: Change;
  readonly #storage: EntryStorage | undefined;
  #made: Made | undefined;
  #cost: number;

  /** `storage`: absent for an entry that is not in a ring. */
  constructor(change: Change, storage?: EntryStorage) {
    this.change = change;
    this.#storage = storage;
    this.#cost = ENTRY_COST + eventSize(change.record.event);
    if (change.previous !== undefined) this.#cost += eventSize(change.previous.event);
  }

  cost(): number {
    return this.#cost;
  }

  /** The bytes are encoded once for any number of watchers: equal `form` and `type` must mean equal bytes. */
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
