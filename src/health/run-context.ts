import type { CheckContext } from './contract.js';

const reason = (name: string, message: string): Error => Object.freeze(Object.assign(new Error(message), { name }));

/** Constant reasons, because an error with a stack for every abort is expensive. */
const REASONS: Readonly<Record<'timeout' | 'closed', Error>> = {
  timeout: /* @__PURE__ */ reason('TimeoutError', 'the health check timed out'),
  closed: /* @__PURE__ */ reason('AbortError', 'the health object has been closed'),
};

/** The context of one run. Its signal is created when it is first read. A class: a literal with a getter is slow. */
export class RunContext implements CheckContext {
  #controller: AbortController | undefined;
  #aborted: Error | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  abort(why: 'timeout' | 'closed'): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = REASONS[why];
    this.#controller?.abort(this.#aborted);
  }
}
