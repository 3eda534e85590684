/** A bounded number of turns, handed out first come, first served. */
export interface Turns {
  /** Takes a turn if one is free and nobody is waiting. */
  tryTake(): boolean;
  /** Waits for a turn; `enter` then holds it. Returns the function that leaves the queue. */
  wait(enter: () => void): () => void;
  /** Gives a turn back. */
  release(): void;
  /** Sends everybody in the queue away; they are not called. */
  dismiss(): void;
}

/** Makes {@link Turns} for at most `limit` holders. */
export function createTurns(limit: number): Turns {
  let free = limit;
  let serving = false;
  const queue = new Set<() => void>();
  return {
    tryTake() {
      if (free === 0 || queue.size > 0) return false;
      free -= 1;
      return true;
    },
    wait(enter) {
      queue.add(enter);
      return () => void queue.delete(enter);
    },
    release() {
      free += 1;
      // A holder that is done at once releases while this loop runs: the loop serves it, so the stack stays flat.
      if (serving) return;
      serving = true;
      while (free > 0) {
        const [enter] = queue;
        if (enter === undefined) break;
        queue.delete(enter);
        free -= 1;
        enter();
      }
      serving = false;
    },
    dismiss: () => queue.clear(),
  };
}
