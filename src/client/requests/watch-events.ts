import { endable } from '../../clock/endable.js';
import type { WatchFrame, WatchOptions } from '../contract/events-client.js';
import { isSuccess, refusal } from './answers.js';
import { reading, send, withDeadline, type CallContext } from './call.js';
import type { EventPaths } from './paths.js';
import { chunksOf } from './read-body.js';
import { framesOf } from './watch-frames.js';

/** A watch: every iterator is a request of its own, which is sent when the first frame is asked for. */
export function watchEvents(
  context: CallContext & { readonly maxFrameBytes: number },
  paths: EventPaths,
  options: WatchOptions,
): AsyncIterable<WatchFrame> {
  const { namespace, fieldSelector, labelSelector, resourceVersion, sendInitialEvents, timeoutSeconds } = options;
  const url = paths.collection(namespace ?? undefined, {
    watch: true,
    resourceVersion,
    // The server demands both of a WatchList.
    ...(sendInitialEvents && { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' }),
    allowWatchBookmarks: options.allowWatchBookmarks || sendInitialEvents || undefined,
    timeoutSeconds,
    fieldSelector: fieldSelector || undefined,
    labelSelector: labelSelector || undefined,
  });

  async function* frames(signal: AbortSignal): AsyncGenerator<WatchFrame, void, undefined> {
    const response = await begin(context, url, options, signal);
    yield* framesOf(chunksOf(response, signal), context.maxFrameBytes);
  }
  return { [Symbol.asyncIterator]: () => endable(options.signal, frames) };
}

/** Waits for the answer to begin, no longer than a call may take. The signal of the request lives as long as the watch. */
async function begin(context: CallContext, url: string, limits: WatchOptions, signal: AbortSignal) {
  const request = new AbortController();
  const leave = (): void => request.abort(signal.reason);
  return withDeadline(context, { timeoutMs: limits.timeoutMs, signal }, async (deadline) => {
    const late = (): void => request.abort(deadline.signal.reason);
    deadline.signal.addEventListener('abort', late, { once: true });
    if (deadline.signal.aborted) late();
    const response = await send(context, { method: 'GET', url }, request.signal);
    if (!isSuccess(response.status)) throw await refusal(reading(context, response, request.signal));
    deadline.signal.removeEventListener('abort', late);
    signal.addEventListener('abort', leave, { once: true });
    return response;
  });
}
