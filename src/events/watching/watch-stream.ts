import type { ListOptions } from '../../api/options/list-options.js';
import type { FrameEncoder } from '../../api/representation/contract.js';
import type { Selector } from '../../api/selectors/contract.js';
import { expired } from '../../api/status/failures.js';
import { isStatusError, type StatusError } from '../../api/status/status-error.js';
import { isStoreError } from '../../store/errors.js';
import { createParkedIterator, type ParkedIterator } from '../../store/parked-iterator.js';
import { createFirstFrames } from './first-frames.js';
import { createLiveFrames } from './live-frames.js';
import { storeFailure } from '../store-failures.js';
import { resourceOf, type VerbCall } from '../verbs/call.js';
import type { FrameSource, WatchParts } from './watch-parts.js';

/** The reason given to whatever still waits when a watch is over. Constant: making errors is not free. */
const WATCH_OVER = 'the watch is over';

/**
 * The frames of one watch, as chunks ready to be written. Four things end it: the client left or the server closes (the
 * request's signal), its time is up, the feed ended, or the consumer called `return`. All of them pass through one
 * AbortController. Made by hand, because a generator that waits cannot be returned from outside.
 */
export function openWatch(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  encoder: FrameEncoder,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  const over = new AbortController();
  const { request, environment } = call;
  const parts: WatchParts = { call, options, selector, encoder, signal: over.signal };
  const wake = (): void => frames.wake();
  /** Nothing more is asked of the sources; who waits, or asks next, is told the end. */
  let done = options.timeoutSeconds < 0;
  let source: FrameSource = createFirstFrames(parts, wake, (after) => {
    // The client may have left in the meantime.
    if (!over.signal.aborted) source = createLiveFrames(parts, after, wake);
  });
  const deadline = environment.clock.setTimer(
    () => {
      done = true;
      over.abort(WATCH_OVER);
      wake();
    },
    durationMs(options, environment.minWatchMs),
  );

  const poll = (): Uint8Array | 'end' | undefined => {
    if (done) return 'end';
    try {
      return source.poll();
    } catch (error) {
      done = true;
      const failure = failureOf(call, error);
      if (!failure) throw error;
      return encoder.encode('ERROR', new TextEncoder().encode(JSON.stringify(failure.status))) ?? 'end';
    }
  };

  const frames: ParkedIterator<Uint8Array> = createParkedIterator({
    poll,
    onEnd() {
      done = true;
      over.abort(WATCH_OVER);
      source.stop();
      deadline.cancel();
      request.signal?.removeEventListener('abort', frames.end);
      onEnd();
    },
  });
  // A client that left may leave a body behind that nobody ever reads.
  if (request.signal?.aborted) frames.end();
  else request.signal?.addEventListener('abort', frames.end, { once: true });
  return frames;
}

function durationMs(options: ListOptions, minimum: number): number {
  if (options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return minimum * (1 + Math.random());
}

/** What an ERROR frame says; undefined for what nobody expected, which destroys the connection. */
function failureOf(call: VerbCall, error: unknown): StatusError | undefined {
  if (isStatusError(error)) return error;
  if (!isStoreError(error)) return undefined;
  if (error.code === 'expired') return expired('The resourceVersion for the provided watch is too old.');
  if (error.code === 'closed') return undefined;
  return storeFailure(error, resourceOf(call), call.scope.name);
}
