import { onAbort } from '../../clock/abortable.js';
import { bodyAborted } from '../../http/body.js';
import type { BodyCall } from '../../http/request.js';

/** Ends the reading of a body early, also after the response: Node emits no event for the body after it. */
export class BodyReading {
  #reject: ((error: unknown) => void) | undefined;
  #call: BodyCall | undefined;
  #leave: (() => void) | undefined;

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
    if (!this.isPending || signal === undefined || this.#leave !== undefined) return;
    const leave = onAbort(signal, () => this.stop(signal.reason));
    // A signal that is aborted already has ended the reading.
    if (this.isPending) this.#leave = leave;
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
    this.#leave?.();
    this.#reject = undefined;
    this.#call = undefined;
    this.#leave = undefined;
  }
}
