/** An async iterator whose waiting `next()` calls can be woken, ended and returned from outside. */
export interface ParkedIterator<T> extends AsyncIterableIterator<T> {
  /** Asks the source again for every waiting `next()`. */
  wake(): void;
  /** Ends the iteration: waiting and later `next()` calls answer `done`. Stands by itself, as a listener. */
  readonly end: () => void;
  return(): Promise<IteratorResult<T, undefined>>;
  /** Promise-free `next()`: answers through a callback, synchronously when there is something. */
  nextTo(taker: Taker<T>): void;
}

/** Who waits for one step of a {@link ParkedIterator}. Neither function may throw. */
export interface Taker<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/** Where a {@link ParkedIterator} takes from. */
export interface ParkedSource<T> {
  /** The next value; `undefined`: nothing yet, wait for `wake()`; `'end'`: finished. What it throws ends the iteration. */
  poll(): T | 'end' | undefined;
  /** Called once when the iteration ends, for whatever reason; not when its signal was aborted before it began. */
  onEnd?(): void;
  /** Ends the iteration when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes an async iterator by hand. A generator will not do: while it waits, `return()` on it waits as well, so that a
 * consumer who leaves could never be let go.
 */
export function createParkedIterator<T extends object>(source: ParkedSource<T>): ParkedIterator<T> {
  return new HandMade(source);
}

/** A class for the reason that `RingWatcher` has. */
class HandMade<T extends object> implements ParkedIterator<T> {
  readonly #source: ParkedSource<T>;
  readonly #waiting: Taker<T>[] = [];
  #over = false;

  constructor(source: ParkedSource<T>) {
    this.#source = source;
    if (source.signal?.aborted) this.#over = true;
    else source.signal?.addEventListener('abort', this.end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => this.nextTo({ resolve, reject }));
  }

  nextTo(taker: Taker<T>): void {
    if (this.#over) {
      taker.resolve({ done: true, value: undefined });
      return;
    }
    this.#waiting.push(taker);
    if (this.#waiting.length === 1) this.wake();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  wake(): void {
    while (!this.#over) {
      const first = this.#waiting[0];
      if (first === undefined) return;
      let value: T | 'end' | undefined;
      try {
        value = this.#source.poll();
      } catch (error) {
        this.#waiting.shift();
        first.reject(error);
        this.end();
        return;
      }
      if (value === undefined) return;
      if (value === 'end') {
        this.end();
        return;
      }
      this.#waiting.shift();
      first.resolve({ done: false, value });
    }
  }

  readonly end = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.#source.signal?.removeEventListener('abort', this.end);
    for (const one of this.#waiting.splice(0)) one.resolve({ done: true, value: undefined });
    this.#source.onEnd?.();
  };
}
