import type { Revision } from '../../store/contract/event-store.js';
import type { ClockTimer } from '../../clock/clock.js';
import type { Batch, BatchFrames } from '../../store/watch/batch.js';
import type { Waker, Watcher } from '../../store/watch/watcher.js';
import { bookmarkFrame, frameOf, joinFrames, type FrameSource, type WatchContext } from './watch-frame.js';

const NONE: readonly Uint8Array[] = [];

/** The most batches without a frame for its client (1,024 changes) that a watch reads in one turn of the event loop. */
const BATCHES_PER_TURN = 8;

/**
 * The frames of all changes after a revision, and bookmarks, without promises, which would cost more than all but the
 * sockets. The hub is polled only on request: a slow consumer holds one batch. A class, as `Watcher` is.
 */
export class LiveFrames implements FrameSource {
  readonly #context: WatchContext;
  /** Equal for watches that are sent the same chunks; undefined for an encoder with state. */
  readonly #chunkKey: string | undefined;
  readonly #watcher: Watcher;
  readonly #waker: Waker;
  #bookmarkTimer: ClockTimer | undefined;
  #bookmarkDue = false;
  #chunks = NONE;
  #taken = 0;
  #reached: Revision;
  /** The revision of the last bookmark, or the start of the watch. */
  #bookmarked: Revision;
  #ended = false;

  constructor(context: WatchContext, after: Revision, waker: Waker) {
    this.#context = context;
    const { call, selection, form } = context;
    this.#chunkKey = form === undefined ? undefined : JSON.stringify([form, call.scope.namespace, selection.key]);
    this.#reached = after;
    this.#bookmarked = after;
    this.#waker = waker;
    this.#watcher = call.dependencies.hub.watch({ after, signal: context.signal, waker });
    if (context.options.allowWatchBookmarks) this.#waitForBookmark();
  }

  poll(): Uint8Array | 'end' | undefined {
    for (let batches = 0; ; batches++) {
      const chunk = this.#nextChunk();
      if (chunk !== undefined) return chunk;
      if (this.#ended) return 'end';
      if (batches === BATCHES_PER_TURN) {
        this.#context.call.dependencies.hub.wakeSoon(this.#waker);
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

  #receive(batch: Batch): void {
    const make = (): BatchFrames => framesOf(this.#context, batch);
    const frames = this.#chunkKey === undefined ? make() : batch.frames(this.#chunkKey, make);
    this.#chunks = frames.chunks;
    if (frames.count > 0) this.#context.counters?.frames(frames.count);
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
    const { clock, hub, bookmarkIntervalMs } = this.#context.call.dependencies;
    this.#bookmarkTimer = clock.setTimer(() => {
      this.#bookmarkDue = true;
      this.#waitForBookmark();
      // The timers of all watches may fire in one turn.
      hub.wakeSoon(this.#waker);
    }, bookmarkIntervalMs);
  }

  #bookmark(): Uint8Array | undefined {
    this.#bookmarkDue = false;
    // All received changes have been delivered.
    const position = Math.max(this.#reached, this.#watcher.position);
    if (position <= this.#bookmarked) return undefined;
    this.#bookmarked = position;
    this.#context.counters?.frames(1);
    return bookmarkFrame(this.#context, position, false);
  }
}

function framesOf(context: WatchContext, batch: Batch): BatchFrames {
  const frames: Uint8Array[] = [];
  let last = false;
  for (const entry of batch.entries) {
    const frame = frameOf(context, entry);
    last = frame === 'end';
    if (frame === 'end') break;
    if (frame !== undefined) frames.push(frame);
  }
  return { chunks: [...joinFrames(frames)], count: frames.length, last };
}
