export interface Requester {
  readonly aborted?: boolean | undefined;
}

export interface Waiter {
  readonly requester: Requester;
  /** Monotonic milliseconds. */
  readonly since: number;
  readonly enter: () => void;
  /** Called when it leaves the queue because its request has ended or has waited too long. */
  readonly leave: () => void;
}

/** A FIFO queue. A class, because every caller has four of them. */
export class Queue {
  #waiters: Waiter[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** Removes and returns the first entry whose request has not ended. Calls `leave` of ended ones before it. */
  shift(): Waiter | undefined {
    for (;;) {
      const waiter = this.#waiters.shift();
      if (waiter === undefined || !hasEnded(waiter)) return waiter;
      waiter.leave();
    }
  }

  /** Removes entries whose request has ended, and calls their `leave`. */
  prune(): void {
    const all = this.#waiters;
    this.#waiters = all.filter((waiter) => !hasEnded(waiter));
    for (const waiter of all) if (hasEnded(waiter)) waiter.leave();
  }

  /** Removes and returns the entries since before this moment, which are the first ones. */
  before(moment: number): readonly Waiter[] {
    const end = this.#waiters.findIndex(({ since }) => since >= moment);
    return this.#waiters.splice(0, end === -1 ? Infinity : end);
  }
}

const hasEnded = ({ requester }: Waiter): boolean => requester.aborted === true;
