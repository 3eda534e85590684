import type { Clock } from '../../clock/clock.js';

/** How often unfinished requests are checked for their deadline and, from the first check on, for a disconnected client. */
const LOOK_MS = 250;

/** A request that has to wait. */
export interface UnfinishedRequest {
  /** Its index in {@link UnfinishedRequests}, which sets it; -1: none. */
  place: number;
  /** Ends the request if its deadline has passed, and follows its client from now on. `now`: monotonic milliseconds. */
  look(now: number): void;
}

/**
 * The waiting requests of one pipeline, with one timer for all. In an unordered array: a Set makes a new table every few
 * requests.
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
      // Backwards, because a request that ends now is replaced by the last one.
      for (let at = this.#lives.length - 1; at >= 0; at--) this.#lives[at]?.look(now);
      if (this.#lives.length > 0) this.#lookLater();
    }, LOOK_MS);
  }
}
