import { endable } from '../../clock/endable.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import type { WatchFrame, WatchOptions } from '../contract/events-client.js';
import { from, isSuccess, refusal, refuseCompressed } from './read-response.js';
import { send, type CallContext } from './call.js';
import { createDeadline } from './deadline.js';
import type { EventPaths } from './paths.js';
import { chunksOf } from './read-body.js';
import { framesOf } from './watch-frames.js';

/** The failures of watches whose response had not begun. */
const beforeResponse = new WeakSet<object>();

/** True where a watch failed before its response began: however long that took, it has not worked. */
export const failedBeforeResponse = (error: unknown): boolean => beforeResponse.has(error as object);

/** A watch: every iterator is one request, which is sent when the first frame is requested. */
export function requestWatch(
  context: CallContext & { readonly maxFrameBytes: number },
  paths: EventPaths,
  options: WatchOptions,
): AsyncIterable<WatchFrame> {
  const { resourceVersion, sendInitialEvents, timeoutSeconds } = options;
  const url = paths.selection(options, {
    watch: true,
    resourceVersion,
    // The server demands both of a WatchList.
    ...(sendInitialEvents && { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' }),
    allowWatchBookmarks: options.allowWatchBookmarks || sendInitialEvents || undefined,
    timeoutSeconds,
  });

  async function* frames(signal: AbortSignal): AsyncGenerator<WatchFrame, void, undefined> {
    const response = await held(begin(context, url, options, signal));
    yield* framesOf(holding(chunksOf(response, signal)), context.maxFrameBytes, from(context));
  }
  return { [Symbol.asyncIterator]: () => endable(options.signal, frames) };
}

/** Keeps the process alive until the promise settles: a server in the same process has no socket that does. */
function held<T>(promise: Promise<T>): Promise<T> {
  return promise.finally(keepProcessAlive());
}

/** The same chunks, each waited for as in {@link held}. In between the process may end. A generator costs more. */
function holding<T>(chunks: AsyncGenerator<T, void, undefined>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => held(chunks.next()), return: () => chunks.return() }),
  };
}

/** Waits for the response to begin, no longer than a call may take. The request ends with the signal. */
async function begin(context: CallContext, url: string, { timeoutMs }: WatchOptions, signal: AbortSignal) {
  const deadline = createDeadline(context.clock, timeoutMs ?? context.timeoutMs, signal, from(context));
  try {
    const response = await send(context, { method: 'GET', url }, deadline.signal);
    if (!isSuccess(response.status)) throw await refusal(context, response, deadline.signal);
    refuseCompressed(context, response);
    deadline.cancel();
    return response;
  } catch (error) {
    if (typeof error === 'object' && error !== null) beforeResponse.add(error);
    deadline.release();
    throw error;
  }
}
