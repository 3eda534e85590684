import { bodyAborted } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';

/**
 * The reading of one request body. Its reader's signal, a client that leaves and the answer may end it early: Node emits no
 * event for the body of a request that has been answered.
 */
export class BodyReading {
  #reject: ((error: unknown) => void) | undefined;
  #call: BodyCall | undefined;
  #onAbort: (() => void) | undefined;

  /** The reading begins; `reject` ends it early. */
  begin(reject: (error: unknown) => void, call: BodyCall | undefined): void {
    this.#reject = reject;
    this.#call = call;
  }

  /** True while the body is being read. */
  get isPending(): boolean {
    return this.#reject !== undefined;
  }

  /** Subscribes to the reader's signal, which is created when it is first accessed. */
  subscribe(): void {
    const signal = this.#call?.signal;
    if (!this.isPending || signal === undefined || this.#onAbort !== undefined) return;
    this.#onAbort = () => this.stop(signal.reason);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Ends the reading early: its reader gets this error. Does nothing once the body has been read. */
  stop(error?: unknown): void {
    const reject = this.#reject;
    if (reject === undefined) return;
    this.finish();
    // Made only for a reader: an error captures a stack trace, and every answer stops its reading.
    reject(error ?? bodyAborted());
  }

  /** The reading has ended, in whatever way. */
  finish(): void {
    if (this.#onAbort !== undefined) this.#call?.signal?.removeEventListener('abort', this.#onAbort);
    this.#reject = undefined;
    this.#call = undefined;
    this.#onAbort = undefined;
  }
}
