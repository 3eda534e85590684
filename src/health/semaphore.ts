/** A counting semaphore: a bounded number of permits, granted in the order of requests. */
export interface Semaphore {
  /** Takes a permit if one is free and no other caller waits for one. */
  tryAcquire(): boolean;
  /** Waits for a permit; `acquired` is called once it is held. Returns the function that stops waiting. */
  wait(acquired: () => void): () => void;
  /** Releases a permit. */
  release(): void;
  /** Drops all waiting callbacks without calling them. */
  clearQueue(): void;
}

/** Makes a {@link Semaphore} with `limit` permits. */
export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  let serving = false;
  const queue = new Set<() => void>();
  return {
    tryAcquire() {
      if (free === 0 || queue.size > 0) return false;
      free -= 1;
      return true;
    },
    wait(acquired) {
      queue.add(acquired);
      return () => void queue.delete(acquired);
    },
    release() {
      free += 1;
      // A callback may release synchronously: this loop serves the queue then, so that the stack does not grow.
      if (serving) return;
      serving = true;
      while (free > 0) {
        const [acquired] = queue;
        if (acquired === undefined) break;
        queue.delete(acquired);
        free -= 1;
        acquired();
      }
      serving = false;
    },
    clearQueue: () => queue.clear(),
  };
}
