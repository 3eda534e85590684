import type { Clock } from '../../clock/clock.js';
import type { RequestLife } from './request-life.js';

/** How often deadlines are checked. The first check also adds a listener for disconnection. */
const CHECK_INTERVAL_MS = 250;

/**
 * The waiting requests of one pipeline, with one timer for all. Stored in an unordered array, because a Set allocates a
 * new table every few requests.
 */
export class UnfinishedRequests {
  readonly clock: Clock;
  readonly #lives: RequestLife[] = [];
  #checkScheduled = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(life: RequestLife): void {
    life.index = this.#lives.push(life) - 1;
    this.#checkLater();
  }

  delete(life: RequestLife): void {
    const last = this.#lives.pop();
    if (last !== undefined && last !== life) {
      this.#lives[life.index] = last;
      last.index = life.index;
    }
    life.index = -1;
  }

  #checkLater(): void {
    if (this.#checkScheduled) return;
    this.#checkScheduled = true;
    this.clock.setTimer(() => {
      this.#checkScheduled = false;
      const now = this.clock.monotonic();
      // Backwards, because a request that ends now is replaced by the last one.
      for (let at = this.#lives.length - 1; at >= 0; at--) this.#lives[at]?.check(now);
      if (this.#lives.length > 0) this.#checkLater();
    }, CHECK_INTERVAL_MS);
  }
}
