/** An async iterator whose waiting `next()` calls can be woken, ended and returned from outside. */
export interface ParkedIterator<T> extends AsyncIterableIterator<T> {
  /** Asks the source again for every waiting `next()`. */
  wake(): void;
  /** Ends the iteration: waiting and later `next()` calls answer `done`. */
  end(): void;
  return(): Promise<IteratorResult<T, undefined>>;
  /** As `next()`, told to somebody who wants no promise; at once, when there is something. */
  take(taker: Taker<T>): void;
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
  const waiting: Taker<T>[] = [];
  let over = false;

  const end = (): void => {
    if (over) return;
    over = true;
    source.signal?.removeEventListener('abort', end);
    for (const one of waiting.splice(0)) one.resolve({ done: true, value: undefined });
    source.onEnd?.();
  };

  const wake = (): void => {
    while (!over) {
      const first = waiting[0];
      if (first === undefined) return;
      let value: T | 'end' | undefined;
      try {
        value = source.poll();
      } catch (error) {
        waiting.shift();
        first.reject(error);
        end();
        return;
      }
      if (value === undefined) return;
      if (value === 'end') {
        end();
        return;
      }
      waiting.shift();
      first.resolve({ done: false, value });
    }
  };

  const take = (taker: Taker<T>): void => {
    if (over) {
      taker.resolve({ done: true, value: undefined });
      return;
    }
    waiting.push(taker);
    if (waiting.length === 1) wake();
  };

  if (source.signal?.aborted) over = true;
  else source.signal?.addEventListener('abort', end);

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => new Promise((resolve, reject) => take({ resolve, reject })),
    take,
    return: () => {
      end();
      return Promise.resolve({ done: true, value: undefined });
    },
    wake,
    end,
  };
}
