import type { Revision } from '../../store/contract/event-store.js';
import { type ClockTimer, atNextTurn } from '../../clock/clock.js';
import type { Batch, BatchFrames } from '../../store/watch/batch.js';
import type { Sleeper, Watcher } from '../../store/watch/watcher.js';
import { bookmarkFrame, frameOf, joinFrames, type FrameSource, type WatchParts } from './watch-frame.js';

const NONE: readonly Uint8Array[] = [];

/** A watch examines at most this many batches without a frame for its client (1,024 changes) in one turn of the event loop. */
const BATCHES_PER_TURN = 8;

/**
 * The frames of everything that happens after a revision, and bookmarks. Taken from the hub without promises, which would
 * cost a thousand watchers more than anything but the sockets. The hub is asked only when the consumer has come back, so
 * that a slow one holds the chunks of one batch. A class for the same reason as `Watcher`.
 */
export class LiveFrames implements FrameSource {
  readonly #parts: WatchParts;
  readonly #kind: string | undefined;
  readonly #watcher: Watcher;
  readonly #sleeper: Sleeper;
  /** The reader will be woken in the next turn of the event loop. */
  #goesOn = false;
  #bookmarkTimer: ClockTimer | undefined;
  #bookmarkDue = false;
  #chunks = NONE;
  #taken = 0;
  /** The last change of the batch that is being sent. */
  #reached: Revision;
  #marked: Revision;
  #ended = false;

  constructor(parts: WatchParts, after: Revision, sleeper: Sleeper) {
    this.#parts = parts;
    this.#kind = kindOf(parts);
    this.#reached = after;
    this.#marked = after;
    this.#sleeper = sleeper;
    this.#watcher = parts.call.dependencies.hub.watch({ after, signal: parts.signal, sleeper });
    if (parts.options.allowWatchBookmarks) this.#waitForBookmark();
  }

  poll(): Uint8Array | 'end' | undefined {
    for (let batches = 0; ; batches++) {
      const chunk = this.#nextChunk();
      if (chunk !== undefined) return chunk;
      if (this.#ended) return 'end';
      if (batches === BATCHES_PER_TURN) {
        this.#goOnSoon();
        return undefined;
      }
      const batch = this.#watcher.poll();
      if (batch === 'end') return 'end';
      if (batch === undefined) return this.#bookmarkDue ? this.#bookmark() : undefined;
      this.#receive(batch);
    }
  }

  stop(): void {
    this.#bookmarkTimer?.cancel();
  }

  #goOnSoon(): void {
    if (this.#goesOn) return;
    this.#goesOn = true;
    atNextTurn(() => {
      this.#goesOn = false;
      this.#sleeper.wake();
    });
  }

  #receive(batch: Batch): void {
    const make = (): BatchFrames => framesOf(this.#parts, batch);
    const frames = this.#kind === undefined ? make() : batch.frames(this.#kind, make);
    this.#chunks = frames.chunks;
    if (frames.count > 0) this.#parts.tally?.frames(frames.count);
    this.#taken = 0;
    this.#ended = frames.last;
    this.#reached = batch.revision;
  }

  #nextChunk(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#taken++];
    if (this.#taken >= this.#chunks.length) this.#chunks = NONE;
    return chunk;
  }

  #waitForBookmark(): void {
    const { clock, bookmarkIntervalMs } = this.#parts.call.dependencies;
    this.#bookmarkTimer = clock.setTimer(() => {
      this.#bookmarkDue = true;
      this.#waitForBookmark();
      this.#sleeper.wake();
    }, bookmarkIntervalMs);
  }

  #bookmark(): Uint8Array | undefined {
    this.#bookmarkDue = false;
    // Everything received was delivered.
    const place = Math.max(this.#reached, this.#watcher.position);
    if (place <= this.#marked) return undefined;
    this.#marked = place;
    this.#parts.tally?.frames(1);
    return bookmarkFrame(this.#parts, place, false);
  }
}

/** Equal for watches that are sent the same chunks; undefined for an encoder with state. */
function kindOf({ call, selection, form }: WatchParts): string | undefined {
  return form === undefined ? undefined : JSON.stringify([form, call.scope.namespace, selection.key]);
}

function framesOf(parts: WatchParts, batch: Batch): BatchFrames {
  const frames: Uint8Array[] = [];
  let last = false;
  for (const entry of batch.entries) {
    const frame = frameOf(parts, entry);
    last = frame === 'end';
    if (frame === 'end') break;
    if (frame !== undefined) frames.push(frame);
  }
  return { chunks: [...joinFrames(frames)], count: frames.length, last };
}
