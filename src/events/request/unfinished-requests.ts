import type { Clock } from '../../clock/clock.js';

/**
 * How often unfinished requests are looked at: whether their deadline has passed, and, from the first look on, whether their
 * client has left. Most requests are answered before.
 */
const LOOK_MS = 250;

/** A request that waits for something. */
export interface UnfinishedRequest {
  /** Where it is in {@link UnfinishedRequests}, which sets this; -1: nowhere. */
  place: number;
  /** Ends the request when its deadline has passed, and follows its client from now on. `now`: monotonic milliseconds. */
  look(now: number): void;
}

/**
 * The requests of one pipeline that wait for something: one timer for all, because most never need theirs. In an array, in
 * no order: a Set makes a new table every few requests.
 */
export class UnfinishedRequests {
  readonly clock: Clock;
  readonly #lives: UnfinishedRequest[] = [];
  #looking = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(life: UnfinishedRequest): void {
    life.place = this.#lives.push(life) - 1;
    this.#lookLater();
  }

  delete(life: UnfinishedRequest): void {
    const { place } = life;
    const last = place < 0 ? undefined : this.#lives.pop();
    life.place = -1;
    if (last === undefined || last === life) return;
    this.#lives[place] = last;
    last.place = place;
  }

  #lookLater(): void {
    if (this.#looking) return;
    this.#looking = true;
    this.clock.setTimer(() => {
      this.#looking = false;
      const now = this.clock.monotonic();
      // From behind, because those that end now are replaced by the last one.
      for (let at = this.#lives.length - 1; at >= 0; at--) this.#lives[at]?.look(now);
      if (this.#lives.length > 0) this.#lookLater();
    }, LOOK_MS);
  }
}
