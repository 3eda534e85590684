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
  #waiters: (Waiter | undefined)[] = [];
  /** Index of the first entry, because shifting a long array is expensive. */
  #head = 0;

  get length(): number {
    return this.#waiters.length - this.#head;
  }

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** Removes and returns the first entry whose request has not ended. Calls `leave` of ended ones before it. */
  shift(): Waiter | undefined {
    while (this.#head < this.#waiters.length) {
      const waiter = this.#waiters[this.#head] as Waiter;
      // In V8's old generation the slot would retain a finished request, and all it references, until the next full
      // collection.
      this.#waiters[this.#head] = undefined;
      this.#forward(1);
      if (!hasEnded(waiter)) return waiter;
      waiter.leave();
    }
    return undefined;
  }

  /** Removes entries whose request has ended, and calls their `leave`. */
  prune(): void {
    const all = this.#waiters.slice(this.#head) as Waiter[];
    this.#waiters = all.filter((waiter) => !hasEnded(waiter));
    this.#head = 0;
    for (const waiter of all) if (hasEnded(waiter)) waiter.leave();
  }

  before(moment: number): readonly Waiter[] {
    const from = this.#head;
    let end = from;
    while ((this.#waiters[end]?.since ?? moment) < moment) end += 1;
    const taken = this.#waiters.slice(from, end) as Waiter[];
    this.#waiters.fill(undefined, from, end);
    this.#forward(taken.length);
    return taken;
  }

  #forward(count: number): void {
    this.#head += count;
    if (this.#head < this.#waiters.length && this.#head < KEPT_BEHIND) return;
    this.#waiters = this.#waiters.slice(this.#head);
    this.#head = 0;
  }
}

/** How many removed entries may stay in the array before it is copied. */
const KEPT_BEHIND = 256;

const hasEnded = ({ requester }: Waiter): boolean => requester.aborted === true;
