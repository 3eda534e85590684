import type { ListOptions } from '../api/options/list-options.js';
import { toRevision } from '../api/options/resource-version.js';
import type { FrameEncoder } from '../api/representation/contract.js';
import type { Selector } from '../api/selectors/contract.js';
import { expired } from '../api/status/failures.js';
import { isStatusError, type StatusError } from '../api/status/status-error.js';
import type { Revision } from '../store/contract.js';
import { isStoreError } from '../store/errors.js';
import type { HubEntry } from '../store/watch/hub-entry.js';
import { createFrameJoiner } from './join-frames.js';
import { createTicker } from './ticker.js';
import { openList } from './read-list.js';
import type { BatchFrames } from './shared-frames.js';
import { storeFailure } from './store-failures.js';
import { resourceOf, type VerbCall } from './verbs/call.js';
import { frameOf } from './watch-frame.js';

/** The reason given to whatever still waits when a watch is over. Constant: making errors is not free. */
const WATCH_OVER = 'the watch is over';

/**
 * The frames of one watch, as chunks ready to be written. Four things end it: the client left or the server closes (the
 * request's signal), its time is up, the feed ended, or the consumer called `return`. All of them pass through one
 * AbortController, because a generator that waits cannot be returned from outside.
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
  const end = (): void => over.abort(WATCH_OVER);
  const deadline = environment.clock.setTimer(end, durationMs(options, environment.minWatchMs));
  let ended = false;
  const finish = (): void => {
    if (ended) return;
    ended = true;
    end();
    deadline.cancel();
    request.signal?.removeEventListener('abort', finish);
    onEnd();
  };
  if (options.timeoutSeconds < 0) end();
  // A client that left may leave a body behind that nobody ever reads.
  if (request.signal?.aborted) finish();
  else request.signal?.addEventListener('abort', finish, { once: true });
  const source = frames(call, options, selector, encoder, over.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const step = await source.next();
          if (step.done) finish();
          return step;
        } catch (error) {
          finish();
          throw error;
        }
      },
      async return() {
        finish();
        await source.return(undefined);
        return { done: true, value: undefined };
      },
    }),
  };
}

function durationMs(options: ListOptions, minimum: number): number {
  if (options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return minimum * (1 + Math.random());
}

async function* frames(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  encoder: FrameEncoder,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  if (signal.aborted) return;
  const { store } = call.environment;
  try {
    let after: Revision;
    if (options.sendInitialEvents) {
      const joiner = createFrameJoiner();
      const list = await openList(call, { ...options, limit: 0, continue: '' }, selector);
      for await (const records of list.batches) {
        if (signal.aborted) return;
        for (const record of records) {
          const frame = encoder.encode('ADDED', call.version.objectJson(record));
          if (!frame) return;
          const chunk = joiner.add(frame);
          if (chunk) yield chunk;
          if (signal.aborted) return;
        }
        const chunk = joiner.rest();
        if (chunk) yield chunk;
      }
      after = list.revision;
      if (options.allowWatchBookmarks) {
        const frame = encoder.encode('BOOKMARK', call.version.bookmarkJson(String(after), true));
        if (!frame) return;
        yield frame;
      }
    } else {
      const asked = options.resourceVersion;
      after = asked === '' || asked === '0' ? await store.revision({ signal }) : toRevision(asked);
    }
    yield* live(call, options, selector, encoder, after, signal);
  } catch (error) {
    if (signal.aborted) return;
    const failure = failureOf(call, error);
    if (!failure) throw error;
    const frame = encoder.encode('ERROR', new TextEncoder().encode(JSON.stringify(failure.status)));
    if (frame) yield frame;
  }
}

async function* live(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  encoder: FrameEncoder,
  after: Revision,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { hub, clock, bookmarkIntervalMs, sharedFrames } = call.environment;
  const kind = kindOf(call, options, encoder);
  const watcher = hub.watch({ after, signal });
  const bookmarks = options.allowWatchBookmarks ? createTicker(clock, bookmarkIntervalMs) : undefined;
  let delivered = after;
  let marked = after;
  try {
    // Asked for only when the consumer has come back: one that fails while nobody listens would end the process.
    let pending = watcher.next();
    for (;;) {
      const step = bookmarks ? await bookmarks.orTick(pending) : await pending;
      if (step === undefined) {
        // What was handed to `pending` the client has not seen: the watcher's place counts only while nothing is.
        const reached = Math.max(delivered, watcher.quiet() ?? 0);
        if (reached <= marked) continue;
        marked = reached;
        const frame = encoder.encode('BOOKMARK', call.version.bookmarkJson(String(marked), false));
        if (frame) yield frame;
        continue;
      }
      if (step.done) return;
      const batch = step.value;
      const { chunks, last } = sharedFrames.of(batch, kind, () => framesOf(call, selector, encoder, batch));
      for (const chunk of chunks) {
        yield chunk;
        if (signal.aborted) return;
      }
      if (last) return;
      delivered = batch.at(-1)?.change.revision ?? delivered;
      pending = watcher.next();
    }
  } finally {
    bookmarks?.stop();
  }
}

/** What this watch has in common with others that are sent the same; undefined for a stream that has a memory. */
function kindOf({ version, scope }: VerbCall, options: ListOptions, { cacheKey }: FrameEncoder): string | undefined {
  if (cacheKey === undefined) return undefined;
  const { namespace, name } = scope;
  const { labelSelector, fieldSelector } = options;
  return JSON.stringify([version.view.apiVersion, cacheKey, namespace, name, labelSelector, fieldSelector]);
}

function framesOf(call: VerbCall, selector: Selector, encoder: FrameEncoder, batch: readonly HubEntry[]): BatchFrames {
  const joiner = createFrameJoiner();
  const chunks: Uint8Array[] = [];
  const keep = (chunk: Uint8Array | undefined): void => {
    if (chunk !== undefined) chunks.push(chunk);
  };
  let last = false;
  for (const entry of batch) {
    const frame = frameOf(call, selector, encoder, entry);
    last = frame === 'end';
    if (frame === 'end') break;
    if (frame !== undefined) keep(joiner.add(frame));
  }
  keep(joiner.rest());
  return { chunks, last };
}

/** What an ERROR frame says; undefined for what nobody expected, which destroys the connection. */
function failureOf(call: VerbCall, error: unknown): StatusError | undefined {
  if (isStatusError(error)) return error;
  if (!isStoreError(error)) return undefined;
  if (error.code === 'expired') return expired('The resourceVersion for the provided watch is too old.');
  if (error.code === 'closed') return undefined;
  return storeFailure(error, resourceOf(call), call.scope.name);
}
