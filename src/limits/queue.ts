/** A request that may end while it waits. */
export interface Requester {
  readonly aborted?: boolean | undefined;
}

/** A request in a queue. */
export interface Waiter {
  readonly requester: Requester;
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Called when its turn has come. */
  readonly enter: () => void;
  /** Called when it waits no longer, because its request has ended. */
  readonly leave: () => void;
}

/** First in, first out. A class, because every caller has four of them. */
export class Queue {
  #waiters: Waiter[] = [];
  /** Index of the first one: shifting an array of hundreds costs more than everything else here. */
  #head = 0;

  get length(): number {
    return this.#waiters.length - this.#head;
  }

  push(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  /** The first whose request has not ended. */
  shift(): Waiter | undefined {
    while (this.#head < this.#waiters.length) {
      const waiter = this.#waiters[this.#head] as Waiter;
      this.#forward(1);
      if (!hasEnded(waiter)) return waiter;
      waiter.leave();
    }
    return undefined;
  }

  /** Takes out those whose request has ended; they leave. */
  prune(): void {
    const all = this.#waiters.slice(this.#head);
    const ended = new Set(all.filter(hasEnded));
    if (ended.size === 0) return;
    this.#waiters = all.filter((waiter) => !ended.has(waiter));
    this.#head = 0;
    for (const waiter of ended) waiter.leave();
  }

  /** Takes out those that came before a moment, in their order. */
  before(moment: number): readonly Waiter[] {
    const from = this.#head;
    let end = from;
    while ((this.#waiters[end]?.since ?? moment) < moment) end += 1;
    const taken = this.#waiters.slice(from, end);
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

/** Entries that have left the queue before the array is copied without them. */
const KEPT_BEHIND = 256;

const hasEnded = ({ requester }: Waiter): boolean => requester.aborted === true;
