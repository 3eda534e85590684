import type { Revision } from '../../store/contract/event-store.js';
import { type Clock, atNextTurn } from '../../clock/clock.js';
import type { Batch, BatchFrames } from '../../store/watch/batch.js';
import type { Sleeper, Watcher } from '../../store/watch/watcher.js';
import { createFrameJoiner, bookmarkFrame, frameOf, type FrameSource, type WatchParts } from './watch-frame.js';

const NONE: readonly Uint8Array[] = [];

/**
 * The most batches without a frame for the client (1,024 changes) that a watch examines in one turn of the event loop: a
 * watch that begins far back would otherwise examine all of the ring.
 */
const BATCHES_PER_TURN = 8;

/**
 * The frames of everything that happens after a revision, and bookmarks. Taken from the hub without promises, because with a
 * thousand watchers that is what costs besides the sockets. The hub is asked only when the consumer has come back, so that
 * a slow one holds the chunks of one batch.
 */
export function createLiveFrames(parts: WatchParts, after: Revision, sleeper: Sleeper): FrameSource {
  return new LiveFrames(parts, after, sleeper);
}

/** A class for the reason that `Watcher` has. */
class LiveFrames implements FrameSource {
  readonly #parts: WatchParts;
  readonly #kind: string | undefined;
  readonly #watcher: Watcher;
  readonly #sleeper: Sleeper;
  /** It will be asked again in the next turn of the event loop. */
  #goesOn = false;
  readonly #bookmarks: Ticker | undefined;
  #chunks = NONE;
  #taken = 0;
  /** The last change of the batch that is on its way to the client. */
  #reached: Revision;
  #marked: Revision;
  #ended = false;

  constructor(parts: WatchParts, after: Revision, sleeper: Sleeper) {
    const { hub, clock, bookmarkIntervalMs } = parts.call.dependencies;
    this.#parts = parts;
    this.#kind = kindOf(parts);
    this.#reached = after;
    this.#marked = after;
    this.#sleeper = sleeper;
    this.#watcher = hub.watch({ after, signal: parts.signal, sleeper });
    if (!parts.options.allowWatchBookmarks) return;
    this.#bookmarks = createTicker(clock, bookmarkIntervalMs, () => sleeper.wake());
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
      if (batch === undefined) return this.#bookmarks?.due() === true ? this.#bookmark() : undefined;
      this.#receive(batch);
    }
  }

  stop(): void {
    this.#bookmarks?.stop();
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

  /** The next chunk of what was received. */
  #nextChunk(): Uint8Array | undefined {
    const chunk = this.#chunks[this.#taken++];
    if (this.#taken >= this.#chunks.length) this.#chunks = NONE;
    return chunk;
  }

  #bookmark(): Uint8Array | undefined {
    // Everything received was delivered.
    const place = Math.max(this.#reached, this.#watcher.position);
    if (place <= this.#marked) return undefined;
    this.#marked = place;
    this.#parts.tally?.frames(1);
    return bookmarkFrame(this.#parts, place, false);
  }
}

/** What this watch has in common with others that are sent the same; undefined for a stream that has a memory. */
function kindOf({ call, selectionKey, form }: WatchParts): string | undefined {
  return form === undefined ? undefined : JSON.stringify([form, call.scope.namespace, selectionKey]);
}

function framesOf(parts: WatchParts, batch: Batch): BatchFrames {
  const joiner = createFrameJoiner();
  const chunks: Uint8Array[] = [];
  const keep = (chunk: Uint8Array | undefined): void => {
    if (chunk !== undefined) chunks.push(chunk);
  };
  let last = false;
  let count = 0;
  for (const entry of batch.entries) {
    const frame = frameOf(parts, entry);
    last = frame === 'end';
    if (frame === 'end') break;
    if (frame === undefined) continue;
    count += 1;
    keep(joiner.add(frame));
  }
  keep(joiner.rest());
  return { chunks, count, last };
}

/** Says at regular times that something is due. */
export interface Ticker {
  /** True when a tick came since the last question; many are one. */
  due(): boolean;
  stop(): void;
}

/** A ticker on a clock. `onTick` is called with each tick, to wake a waiting reader. */
export function createTicker(clock: Clock, intervalMs: number, onTick: () => void): Ticker {
  let ticked = false;
  const tick = (): void => {
    ticked = true;
    timer = clock.setTimer(tick, intervalMs);
    onTick();
  };
  let timer = clock.setTimer(tick, intervalMs);
  return {
    due() {
      const was = ticked;
      ticked = false;
      return was;
    },
    stop: () => timer.cancel(),
  };
}
