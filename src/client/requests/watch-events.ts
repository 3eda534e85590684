import { endable } from '../../clock/endable.js';
import type { WatchFrame, WatchOptions } from '../contract/events-client.js';
import { isSuccess, refusal } from './answers.js';
import { reading, send, type CallContext } from './call.js';
import { createDeadline } from './deadline.js';
import type { EventPaths } from './paths.js';
import { chunksOf } from './read-body.js';
import { framesOf } from './watch-frames.js';

/** A watch: every iterator is one request, which is sent when the first frame is asked for. */
export function watchEvents(
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
    const response = await begin(context, url, options, signal);
    yield* framesOf(chunksOf(response, signal), context.maxFrameBytes);
  }
  return { [Symbol.asyncIterator]: () => endable(options.signal, frames) };
}

/** Waits for the answer to begin, no longer than a call may take. The request ends with the signal. */
async function begin(context: CallContext, url: string, { timeoutMs }: WatchOptions, signal: AbortSignal) {
  const deadline = createDeadline(context.clock, timeoutMs ?? context.timeoutMs, signal);
  try {
    const response = await send(context, { method: 'GET', url }, deadline.signal);
    if (!isSuccess(response.status)) throw await refusal(reading(context, response, deadline.signal));
    deadline.cancel();
    return response;
  } catch (error) {
    deadline.release();
    throw error;
  }
}
