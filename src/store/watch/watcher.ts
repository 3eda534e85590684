import type { Revision } from '../contract/event-store.js';
import type { Batch } from './batch.js';

export interface WatchOptions {
  /** The first entry is the first change after this revision, which may be later than the latest one. */
  readonly after: Revision;
  readonly signal?: AbortSignal | undefined;
  /** Woken when there is something new, or when the watch has ended. */
  readonly waker: Waker;
}

/** Wakes the consumer of a watcher, which then polls it. */
export interface Waker {
  wake(): void;
}

export interface WatcherHub {
  /** The batch after a position; `undefined`: there is none yet; `behind`: the ring begins after the position. */
  read(position: Revision): Batch | 'behind' | undefined;
  /** The latest revision that watchers may see. A watcher that finds nothing new has seen everything up to it. */
  head(): Revision;
  /** Registers a watcher that waits for changes that are only in history. */
  lag(watcher: Watcher): void;
  leave(watcher: Watcher): void;
}

const NONE: readonly never[] = [];

/**
 * One watch: a position in the ring. Only batches that were read for it from history are buffered. A class, like
 * everything that runs for each watcher when it is woken: closures take twice as long (decision 34).
 */
export class Watcher {
  readonly #hub: WatcherHub;
  readonly #waker: Waker;
  readonly #signal: AbortSignal | undefined;
  #position: Revision;
  #delivered: readonly Batch[] = NONE;
  #taken: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;
  #over = false;

  constructor(hub: WatcherHub, { after, signal, waker }: WatchOptions) {
    this.#hub = hub;
    this.#waker = waker;
    this.#signal = signal;
    this.#position = after;
    signal?.addEventListener('abort', this.end);
  }

  get position(): Revision {
    return this.#position;
  }

  /** The next batch; `undefined`: none yet; `'end'`: the watch has ended. Fails with `expired`, which ends it. */
  poll(): Batch | 'end' | undefined {
    if (this.#over) return 'end';
    if (this.#failure !== undefined) {
      this.#leave();
      throw this.#failure.error;
    }
    const batch = this.#nextDelivered() ?? this.#hub.read(this.#position);
    if (typeof batch === 'object') {
      this.#position = batch.revision;
      return batch;
    }
    if (batch === 'behind') this.#hub.lag(this);
    else this.#position = Math.max(this.#position, this.#hub.head());
    return undefined;
  }

  #nextDelivered(): Batch | undefined {
    if (this.#delivered.length === 0) return undefined;
    const [next, ...rest] = this.#delivered;
    this.#delivered = rest;
    if (rest.length === 0) this.#releaseBatches();
    return next;
  }

  #releaseBatches(): void {
    this.#delivered = NONE;
    this.#taken?.();
    this.#taken = undefined;
  }

  #leave(): void {
    this.#over = true;
    this.#signal?.removeEventListener('abort', this.end);
    this.#releaseBatches();
    this.#hub.leave(this);
  }

  wake(): void {
    this.#waker.wake();
  }

  /** Ends the watch. Bound to the instance, so that it can be a listener. */
  readonly end = (): void => {
    if (this.#over) return;
    this.#leave();
    this.wake();
  };

  /** Records that nothing changed from its position up to this revision. */
  skip(to: Revision): void {
    this.#position = Math.max(this.#position, to);
    this.wake();
  }

  /** Delivers batches that were read from history. `taken`: called once, when the watcher no longer holds any. */
  deliver(batches: readonly Batch[], taken: () => void): void {
    if (this.#over) return taken();
    this.#releaseBatches();
    this.#delivered = batches;
    this.#taken = taken;
    this.wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.wake();
  }
}
