/** Receives one step of a {@link ParkedIterator}. Neither function may throw. */
export interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

export interface ParkedSource<T> {
  /** Returns the next value; `undefined`: none yet, wait for `wake()`; `'end'`: finished. Errors end the iteration. */
  poll(): T | 'end' | undefined;
  /** Called once when the iteration ends, for whatever reason; not when its signal was aborted before it began. */
  onEnd(): void;
  /** Ends the iteration when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** An async iterator that can be woken and ended from outside while it waits, unlike a generator's. */
export class ParkedIterator<T extends object> implements AsyncIterableIterator<T> {
  readonly #source: ParkedSource<T>;
  readonly #waiting: Waiter<T>[] = [];
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

  /** `next()` without a promise: calls back with the result, synchronously when there is a value. */
  nextTo(waiter: Waiter<T>): void {
    if (this.#over) return waiter.resolve({ done: true, value: undefined });
    this.#waiting.push(waiter);
    if (this.#waiting.length === 1) this.wake();
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Polls the source again for every waiting `next()`. */
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
      if (value === 'end') this.end();
      else {
        this.#waiting.shift();
        first.resolve({ done: false, value });
      }
    }
  }

  /** Makes waiting and later `next()` calls resolve to `done`. Bound to the instance, so that it can be a listener. */
  readonly end = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.#source.signal?.removeEventListener('abort', this.end);
    for (const one of this.#waiting.splice(0)) one.resolve({ done: true, value: undefined });
    this.#source.onEnd();
  };
}
