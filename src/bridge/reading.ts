import { bodyAborted } from '../http/body-error.js';
import type { BodyCall } from '../http/request.js';

/**
 * A body that is being read, and what may end that: the signal of its reader, the client that leaves, and the answer, since
 * Node tells a request that was answered before its body had come nothing of its end.
 */
export class Reading {
  #reject: ((error: unknown) => void) | undefined;
  #call: BodyCall | undefined;
  #onAbort: (() => void) | undefined;

  /** The body is waited for; `reject` gives it up. */
  begin(reject: (error: unknown) => void, call: BodyCall | undefined): void {
    this.#reject = reject;
    this.#call = call;
  }

  /** True while the body is waited for. */
  get waits(): boolean {
    return this.#reject !== undefined;
  }

  /** Follows the signal of the reader from here on. Reading it makes one. */
  follow(): void {
    const signal = this.#call?.signal;
    if (!this.waits || signal === undefined || this.#onAbort !== undefined) return;
    this.#onAbort = () => this.stop(signal.reason);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The body is given up: its reader gets this error. Does nothing once the body has been read. */
  stop(error: unknown = bodyAborted()): void {
    const reject = this.#reject;
    this.over();
    reject?.(error);
  }

  /** Nobody waits any more. */
  over(): void {
    if (this.#onAbort !== undefined) this.#call?.signal?.removeEventListener('abort', this.#onAbort);
    this.#reject = undefined;
    this.#call = undefined;
    this.#onAbort = undefined;
  }
}
