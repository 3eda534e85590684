import { bodyAborted } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';

/**
 * Ends the reading of a body early, also after the response: Node emits no event for the body after it.
 */
export class BodyReading {
  #reject: ((error: unknown) => void) | undefined;
  #call: BodyCall | undefined;
  #onAbort: (() => void) | undefined;

  begin(reject: (error: unknown) => void, call: BodyCall | undefined): void {
    this.#reject = reject;
    this.#call = call;
  }

  get isPending(): boolean {
    return this.#reject !== undefined;
  }

  /** Subscribes to the reader's signal, which is created when it is first accessed. */
  subscribe(): void {
    const signal = this.#call?.signal;
    if (!this.isPending || signal === undefined || this.#onAbort !== undefined) return;
    const onAbort = (): void => this.stop(signal.reason);
    this.#onAbort = onAbort;
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  /** Ends the reading early: the reader gets this error. Does nothing once the body has been read. */
  stop(error?: unknown): void {
    const reject = this.#reject;
    if (reject === undefined) return;
    this.finish();
    // Created only if there is a reader: an error captures a stack trace, and every finished response calls `stop`.
    reject(error ?? bodyAborted());
  }

  finish(): void {
    if (this.#onAbort !== undefined) this.#call?.signal?.removeEventListener('abort', this.#onAbort);
    this.#reject = undefined;
    this.#call = undefined;
    this.#onAbort = undefined;
  }
}
