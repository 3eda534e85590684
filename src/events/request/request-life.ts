import type { Clock, ClockTimer } from '../../clock/clock.js';
import { isPromise } from '../../http/promise.js';
import type { ApiRequest } from '../../http/request.js';
import type { HeldBytes } from '../../limits/response-bytes.js';
import type { Place } from '../../limits/in-flight.js';
import { GATEWAY_TIMEOUT } from '../../responses/fixed-responses.js';
import type { StoreCall } from '../../store/contract/event-store.js';
import { isStream, releaseIterator, releaseSource, type ApiResponse } from '../../http/response.js';
import { RequestStream, StreamedResponse } from './streamed-response.js';

/** A waiting request listens for the disconnection of its client after this time: most have ended by then. */
const FOLLOW_AFTER_MS = 250;

/** How long work that ignores its signal may hold its place after the request has ended. */
const GRACE_MS = 500;

/**
 * The life of one request, until the last byte of its response: `signal` aborts all that it waits for, and place and
 * bytes are released when it ends. Its own signal ends it (a client that left, a closing server, a stalled reader), or
 * the deadline. The signal is created on first access; a synchronous request needs no listener or timer.
 */
export class RequestLife implements StoreCall {
  readonly #request: ApiRequest;
  readonly #clock: Clock;
  #limitMs = Infinity;
  #begun = 0;
  #timer: ClockTimer | undefined;
  #controller: AbortController | undefined;
  /** The listener on the signal of the request, once it is added. */
  #onAbort: (() => void) | undefined;
  #reason: unknown;
  #ended = false;
  /** See {@link continueUntil}. */
  #until: AbortSignal | undefined;
  #finished = false;
  #place: Place | undefined;
  #bytes: HeldBytes | undefined;
  /** Resolves the response, until it begins to stream. */
  #resolve: ((response: ApiResponse) => void) | undefined;
  #iterator: AsyncIterator<Uint8Array> | undefined;

  constructor(request: ApiRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  /** Aborted when the request ends before its response is complete. */
  get signal(): AbortSignal {
    if (this.#until !== undefined) return this.#until;
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort(this.#reason);
      else this.#follow();
    }
    return this.#controller.signal;
  }

  /** The value of `signal.aborted`, without creating the signal. */
  get aborted(): boolean {
    if (this.#until !== undefined) return this.#until.aborted;
    return this.#ended || (this.#request.aborted ?? this.#request.signal?.aborted ?? false);
  }

  get remoteAddress(): string | undefined {
    return this.#request.remoteAddress;
  }

  /** @throws the reason of `signal`, when the request has ended */
  throwIfAborted(): void {
    if (this.aborted) this.signal.throwIfAborted();
  }

  /** Whether an error only means that the request has ended. */
  isReason(error: unknown): boolean {
    return this.aborted && error === (this.#ended ? this.#reason : this.#request.signal?.reason);
  }

  /** Limits the time from the request's first wait until {@link finish}, in milliseconds. Default: none. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  /** Takes ownership of a place in flight, which is released when the request ends. */
  hold(place: Place): void {
    this.#place = place;
    // The request may have ended while it waited for the place.
    if (this.#ended) this.#releaseLater();
  }

  /** The bytes that count for this request, once there are any. */
  get heldBytes(): HeldBytes | undefined {
    return this.#bytes;
  }

  holdBytes(bytes: HeldBytes): void {
    this.#bytes = bytes;
    if (this.#ended) this.#releaseLater();
  }

  /** Releases the place and the bytes. May be called twice. */
  release(): void {
    this.#place?.release();
    this.#bytes?.release();
  }

  /** Returns the response, or 504 if the request ends before the response is ready. */
  responseOf(work: ApiResponse | PromiseLike<ApiResponse>): ApiResponse | Promise<ApiResponse> {
    if (!isPromise(work)) return work;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      // Reading the signal of a client that had left has ended the request already.
      if (this.#ended) this.#abandon();
      this.#startDeadline();
      work.then((response) => {
        if (this.#ended && isStream(response.body)) releaseSource(response.body);
        resolve(response);
      }, reject);
    });
  }

  /** A stream that ends early with the request. `turn` waits until the next chunk may be made, if not now. */
  stream(
    { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
    source: AsyncIterable<Uint8Array>,
    turn?: () => Promise<unknown> | undefined,
  ): ApiResponse {
    const iterator = source[Symbol.asyncIterator]();
    const over = (): void => {
      this.finish();
      this.release();
    };
    this.#iterator = iterator;
    this.#startDeadline();
    return new StreamedResponse(this, status, headers, new RequestStream(this, iterator, turn, over));
  }

  /** Marks the response as complete, or as ending by itself like a watch: nothing ends this request any more. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#timer?.cancel();
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }

  /** The work for a watch continues after `finish`: from now on this signal ends it, and nothing else. */
  continueUntil(signal: AbortSignal): void {
    this.#until = signal;
  }

  /** Called when the request has to wait. */
  #startDeadline(): void {
    if (this.#timer !== undefined || this.#ended || this.#finished) return;
    this.#begun = this.#clock.monotonic();
    this.#checkAfter(Math.min(this.#limitMs, FOLLOW_AFTER_MS));
  }

  #checkAfter(delayMs: number): void {
    this.#timer = this.#clock.setTimer(() => {
      const leftMs = this.#limitMs - (this.#clock.monotonic() - this.#begun);
      if (leftMs <= 0) return this.#end(new DOMException('the request exceeded its time limit', 'AbortError'));
      this.#follow();
      if (!this.#ended && leftMs < Infinity) this.#checkAfter(leftMs);
    }, delayMs);
  }

  /** Releases the place and the bytes later, because calls of the store may continue for a moment. */
  #releaseLater(): void {
    const place = this.#place;
    const bytes = this.#bytes;
    this.#clock.setTimer(() => {
      place?.release();
      bytes?.release();
    }, GRACE_MS);
  }

  #follow(): void {
    const { signal } = this.#request;
    if (this.#onAbort !== undefined || this.#finished || signal === undefined) return;
    const onAbort = (): void => this.#end(signal.reason);
    this.#onAbort = onAbort;
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  #end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reason = reason;
    this.#timer?.cancel();
    this.#controller?.abort(reason);
    // End the work that does not depend on the signal, too.
    if (this.#iterator !== undefined) {
      this.release();
      releaseIterator(this.#iterator);
    } else {
      this.#abandon();
    }
  }

  /** Responds without the work, if there is a response to wait for. */
  #abandon(): void {
    if (this.#resolve === undefined) return;
    this.#resolve(GATEWAY_TIMEOUT);
    this.#releaseLater();
  }
}
