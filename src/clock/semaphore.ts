export type Semaphore = ReturnType<typeof createSemaphore>;

/** Creates a counting semaphore: `limit` permits, granted in the order of requests. */
export function createSemaphore(limit: number) {
  let free = limit;
  let serving = false;
  const queue = new Set<() => void>();
  return {
    /** Acquires a permit if one is free and no other caller waits for one. Returns whether it did. */
    tryAcquire(): boolean {
      if (free === 0 || queue.size > 0) return false;
      free -= 1;
      return true;
    },
    /** Waits for a permit; `acquired` is called once it is held. Returns the function that stops waiting. */
    wait(acquired: () => void): () => void {
      queue.add(acquired);
      return () => void queue.delete(acquired);
    },
    release: (): void => {
      free += 1;
      // A callback may release synchronously: this loop serves the queue then, so that the stack does not grow.
      if (serving) return;
      serving = true;
      for (const acquired of queue) {
        if (free === 0) break;
        queue.delete(acquired);
        free -= 1;
        acquired();
      }
      serving = false;
    },
    clearQueue: (): void => queue.clear(),
  };
}
