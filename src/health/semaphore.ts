/** A counting semaphore: a bounded number of permits, handed out in the order in which they were asked for. */
export interface Semaphore {
  /** Takes a permit if one is free and nothing is waiting for one. */
  tryAcquire(): boolean;
  /** Waits for a permit; `acquired` is called once it is held. Returns the function that stops waiting. */
  wait(acquired: () => void): () => void;
  /** Gives a permit back. */
  release(): void;
  /** Drops everything that waits, without calling it. */
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
      // A holder that releases synchronously does so while this loop runs: the loop serves the queue, so the stack stays flat.
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
