import type { Revision, StoreCall } from '../../store/contract/event-store.js';
import type { RequestLife } from './request-life.js';

/**
 * How a store is asked for a state that need not be the latest one. A class for the sake of `signal`: the request makes one
 * when it is asked for.
 */
export class LooseRead implements StoreCall {
  readonly mayBeStale: boolean;
  readonly notOlderThan: Revision | undefined;
  readonly #life: RequestLife;

  /** @param notOlderThan any state from there on will do; 0: any state */
  constructor(life: RequestLife, notOlderThan: Revision) {
    this.#life = life;
    this.mayBeStale = notOlderThan === 0;
    this.notOlderThan = notOlderThan === 0 ? undefined : notOlderThan;
  }

  get aborted(): boolean {
    return this.#life.aborted;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }
}
