import type { ListOptions } from '../../api/options/list-options.js';
import type { FrameEncoder } from '../../api/representation/contract.js';
import type { ClockTimer } from '../../clock/clock.js';
import { header } from '../../http/headers.js';
import { expired } from '../../api/status/failures.js';
import { isStatusFailure, type StatusFailure } from '../../api/status/status-failure.js';
import { isStoreError } from '../../store/contract/errors.js';
import { LARGE_BYTES } from '../../limits/response-bytes.js';
import { ParkedIterator, type ParkedSource } from '../../store/feeds/parked-iterator.js';
import { createFirstFrames } from './first-frames.js';
import { LiveFrames } from './live-frames.js';
import { storeFailure } from '../request/store-failures.js';
import { resourceOf, type VerbCall } from '../request/call.js';
import type { FrameSource, WatchContext } from './watch-frame.js';
import { createWatchCounters, type EndReason } from './watch-counters.js';
import { asciiJson, encodeUtf8 } from '../../json/utf8.js';

/** The abort reason when a watch is over. Not an error, because errors are expensive to create. */
const WATCH_OVER = 'the watch is over';

/** Its watches over HTTP break at a chunk whose bytes and UTF-16 units are not equally many (decision 88). */
const NEEDS_ASCII = 'fabric8-kubernetes-client/';

/**
 * The frames of one watch, as chunks. Four things end it, all through one AbortController: the request's signal, the
 * deadline, the end of the feed, and `return`, which would not interrupt a generator. A class, as `Watcher` is.
 */
export class WatchStream implements ParkedSource<Uint8Array> {
  readonly frames: ParkedIterator<Uint8Array>;
  readonly #context: WatchContext;
  readonly #over = new AbortController();
  readonly #deadline: ClockTimer;
  readonly #onEnd: () => void;
  /** Why the watch ended, unless through the signal of its request. */
  #endReason: EndReason | undefined;
  #source: FrameSource;
  /** The source is not polled any more, and the reader receives the end. */
  #done: boolean;
  #sent: (() => void) | undefined;

  constructor(context: Omit<WatchContext, 'signal' | 'form'>, onEnd: () => void) {
    const { call, options } = context;
    const { request, dependencies, version } = call;
    const encoder = encoderFor(header(request, 'user-agent'), context.encoder);
    const { cacheKey } = encoder;
    const form = cacheKey === undefined ? undefined : `${version.view.apiVersion} ${cacheKey}`;
    this.#context = { ...context, encoder, form, signal: this.#over.signal, counters: createWatchCounters(call) };
    this.#onEnd = onEnd;
    call.life.continueUntil(this.#over.signal);
    // WebSockets are not served. The response ends at once, so that clients which wait for its end watch without them.
    const asksForWebSocket = header(request, 'upgrade')?.toLowerCase() === 'websocket';
    this.#done = options.timeoutSeconds < 0 || asksForWebSocket;
    this.frames = new ParkedIterator<Uint8Array>(this);
    this.#source = createFirstFrames(this.#context, this.frames, (after) => {
      // The client may have disconnected in the meantime.
      if (!this.#over.signal.aborted) this.#source = new LiveFrames(this.#context, after, this.frames);
    });
    this.#deadline = dependencies.clock.setTimer(() => this.#timeIsUp(), durationMs(options, dependencies.minWatchMs));
    // After the client has disconnected, the body may never be read.
    if (request.signal?.aborted) this.frames.end();
    else request.signal?.addEventListener('abort', this.frames.end);
  }

  poll(): Uint8Array | 'end' | undefined {
    // The reader has sent the previous chunk.
    this.#release();
    if (this.#done) return 'end';
    try {
      const chunk = this.#source.poll();
      if (chunk === 'end') this.#endReason ??= 'feed';
      if (typeof chunk !== 'object') return chunk;
      if (chunk.byteLength > LARGE_BYTES && !this.#reserveCapacity(chunk)) return 'end';
      this.#context.counters?.bytes(chunk.byteLength);
      return chunk;
    } catch (error) {
      this.#done = true;
      this.#endReason = 'error';
      const { call, encoder } = this.#context;
      const failure = failureOf(call, error);
      if (!failure) throw error;
      return encoder.encode('ERROR', encodeUtf8(JSON.stringify(failure.status))) ?? 'end';
    }
  }

  /** Counts a large chunk until it is sent. False without capacity: the watch ends, and its client resumes it. */
  #reserveCapacity(chunk: Uint8Array): boolean {
    const { life, caller, dependencies } = this.#context.call;
    this.#sent = dependencies.limits.holdChunk(chunk, caller, life);
    if (this.#sent !== undefined) return true;
    this.#done = true;
    this.#endReason = 'limit';
    return false;
  }

  #release(): void {
    this.#sent?.();
    this.#sent = undefined;
  }

  onEnd(): void {
    this.#release();
    this.#done = true;
    this.#over.abort(WATCH_OVER);
    this.#source.stop();
    this.#deadline.cancel();
    this.#context.call.request.signal?.removeEventListener('abort', this.frames.end);
    this.#context.counters?.ended(this.#endReason, this.#context.call.request.signal);
    this.#onEnd();
  }

  #timeIsUp(): void {
    this.#done = true;
    this.#endReason = 'timeout';
    this.#over.abort(WATCH_OVER);
    this.frames.wake();
  }
}

/** The encoder, or one of the same frames in ASCII, which watches with that need share. */
function encoderFor(userAgent: string | undefined, encoder: FrameEncoder): FrameEncoder {
  const { cacheKey } = encoder;
  if (userAgent?.startsWith(NEEDS_ASCII) !== true || !cacheKey?.startsWith('application/json')) return encoder;
  return {
    cacheKey: `${cacheKey} ASCII`,
    encode(type, json) {
      const frame = encoder.encode(type, json);
      return frame && asciiJson(frame);
    },
  };
}

function durationMs(options: ListOptions, minimum: number): number {
  if (options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return minimum * (1 + Math.random());
}

/** The Status of an ERROR frame; undefined for an unexpected error or a closed store: the connection is destroyed. */
function failureOf(call: VerbCall, error: unknown): StatusFailure | undefined {
  if (isStatusFailure(error)) return error;
  if (!isStoreError(error)) return undefined;
  if (error.code === 'expired') return expired('The resourceVersion for the provided watch is too old.');
  if (error.code === 'closed') return undefined;
  return storeFailure(error, resourceOf(call), call.scope.name);
}
