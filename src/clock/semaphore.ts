export type Semaphore = ReturnType<typeof createSemaphore>;

export function createSemaphore(limit: number) {
  let free = limit;
  let serving = false;
  const queue = new Set<() => void>();
  return {
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
