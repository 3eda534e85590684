import type { Clock, ClockTimer } from '../clock/clock.js';
import type { ApiRequest } from '../http/request.js';
import { isStream } from '../http/response-shape.js';
import type { ApiResponse } from '../http/response.js';
import type { StoreCall } from '../store/contract.js';

/** After this long an unfinished request begins to listen for its client's leaving: most are answered before. */
const FOLLOW_AFTER_MS = 250;

/** How long work that does not heed its signal may keep its place after the request has ended. */
const GRACE_MS = 500;

/** What Kubernetes answers when an ordinary request took too long: a Status without kind and apiVersion, sent as text. */
export const TOO_LATE: ApiResponse = Object.freeze({
  status: 504,
  headers: Object.freeze({ 'content-type': 'text/plain; charset=utf-8' }),
  body:
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
    '"reason":"Timeout","details":{},"code":504}\n',
});

const nothing = (): void => undefined;

/**
 * The life of one request, from its first byte to the last of its answer: what it waits for hangs on `signal`, and what it
 * holds is given back when it ends. Its client's leaving, the server's closing and a stalled reader end it through the
 * signal of the request, and its deadline through a timer. The signal is only made where somebody reads it, and the timer
 * only where the answer is not there at once.
 */
export class RequestLife implements StoreCall {
  readonly #request: ApiRequest;
  readonly #clock: Clock;
  #limitMs = Infinity;
  #begun = 0;
  #timer: ClockTimer | undefined;
  #controller: AbortController | undefined;
  /** Set once the signal of the request is followed. */
  #onAbort: (() => void) | undefined;
  #reason: unknown;
  #ended = false;
  #finished = false;
  #release: () => void = nothing;
  /** What is to be broken off at the end, beside what hangs on the signal. */
  #breakOff: () => void = nothing;

  constructor(request: ApiRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  /** Aborted when the request ends before its answer is complete. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort(this.#reason);
      else this.#follow();
    }
    return this.#controller.signal;
  }

  /** What `signal.aborted` would say. */
  get aborted(): boolean {
    return this.#ended || (this.#request.aborted ?? this.#request.signal?.aborted ?? false);
  }

  /** @throws the reason of `signal`, when the request has ended */
  throwIfAborted(): void {
    if (this.aborted) this.signal.throwIfAborted();
  }

  /** Whether an error only says that the request has ended. */
  isReason(error: unknown): boolean {
    return this.aborted && error === (this.#ended ? this.#reason : this.#request.signal?.reason);
  }

  /** How long the request may take from here until its answer is complete, in milliseconds. Default: for ever. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  /** Takes over a place in flight, to give it back when the request ends. `release` may be called twice. */
  hold(release: () => void): void {
    this.#release = release;
  }

  /** The answer of work that has to be waited for: 504 when the request ends before it is there. */
  answerOf(work: PromiseLike<ApiResponse>): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      this.#breakOff = () => {
        resolve(TOO_LATE);
        this.#clock.setTimer(this.#release, GRACE_MS);
      };
      this.#watch();
      work.then((response) => {
        if (this.#ended && isStream(response.body)) letGo(response.body[Symbol.asyncIterator]());
        resolve(response);
      }, reject);
    });
  }

  /** A streaming answer that has the same deadline: it ends early with the request, and the place is given back at its end. */
  stream(response: ApiResponse, source: AsyncIterable<Uint8Array>): ApiResponse {
    const iterator = source[Symbol.asyncIterator]();
    const over = (): void => {
      this.finish();
      this.#release();
    };
    this.#breakOff = () => {
      this.#release();
      letGo(iterator);
    };
    this.#watch();
    const body: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => body,
      next: async () => {
        this.throwIfAborted();
        try {
          const step = await iterator.next();
          // A source that was let go ends like one that is complete: the client must not take the part for the whole.
          this.throwIfAborted();
          if (step.done) over();
          return step;
        } catch (error) {
          over();
          throw error;
        }
      },
      return: async () => {
        over();
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
    return { ...response, body, signal: this.signal };
  }

  /** The answer is complete, or somebody else takes care of its end: nothing ends this request any more. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#timer?.cancel();
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** Waits for the deadline; on the way there for the client, once the request turns out to be a slow one. */
  #watch(): void {
    if (this.#timer !== undefined || this.#ended || this.#finished) return;
    this.#begun = this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(() => this.#look(), Math.min(FOLLOW_AFTER_MS, this.#limitMs));
  }

  #look(): void {
    const left = this.#limitMs - (this.#clock.monotonic() - this.#begun);
    if (left <= 0) {
      this.#end(new DOMException('the request took longer than it may', 'AbortError'));
      return;
    }
    if (left !== Infinity) this.#timer = this.#clock.setTimer(() => this.#look(), left);
    this.#follow();
  }

  #follow(): void {
    const { signal } = this.#request;
    if (this.#onAbort !== undefined || this.#finished || signal === undefined) return;
    this.#onAbort = () => this.#end(signal.reason);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #end(reason: unknown): void {
    if (this.#ended || this.#finished) return;
    this.#ended = true;
    this.#reason = reason;
    this.#timer?.cancel();
    this.#controller?.abort(reason);
    this.#breakOff();
  }
}

/** Ends a source that nobody reads any more. A generator settles this only after what it waits for has ended. */
function letGo(iterator: AsyncIterator<Uint8Array>): void {
  iterator.return?.().then(undefined, nothing);
}
