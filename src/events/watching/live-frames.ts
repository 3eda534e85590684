import type { Revision } from '../../store/contract.js';
import type { HubEntry } from '../../store/watch/hub-entry.js';
import { createFrameJoiner } from './join-frames.js';
import type { BatchFrames } from './shared-frames.js';
import { createTicker } from './ticker.js';
import { frameOf } from './watch-frame.js';
import type { FrameSource, WatchParts } from './watch-parts.js';

const NONE: readonly Uint8Array[] = [];

/**
 * The frames of everything that happens after a revision, and bookmarks. Taken from the hub without promises, because with a
 * thousand watchers that is what costs besides the sockets. The hub is asked only when the consumer has come back, so that
 * a slow one holds the chunks of one batch.
 */
export function createLiveFrames(parts: WatchParts, after: Revision, wake: () => void): FrameSource {
  const { call, options, encoder, signal } = parts;
  const { hub, clock, bookmarkIntervalMs, sharedFrames } = call.environment;
  const kind = kindOf(parts);
  const watcher = hub.watch({ after, signal, onWake: wake });
  const bookmarks = options.allowWatchBookmarks ? createTicker(clock, bookmarkIntervalMs, wake) : undefined;
  let chunks = NONE;
  let taken = 0;
  /** The last change of the batch that is on its way to the client. */
  let reached = after;
  let marked = after;
  let ended = false;

  const receive = (batch: readonly HubEntry[]): void => {
    const frames = sharedFrames.of(batch, kind, () => framesOf(parts, batch));
    chunks = frames.chunks;
    taken = 0;
    ended = frames.last;
    reached = batch.at(-1)?.change.revision ?? reached;
  };

  /** The next chunk of what was received. */
  const nextChunk = (): Uint8Array | undefined => {
    const chunk = chunks[taken++];
    if (taken >= chunks.length) chunks = NONE;
    return chunk;
  };

  const bookmark = (): Uint8Array | undefined => {
    // Everything received was delivered, and while the hub is asked nothing is on its way.
    const place = Math.max(reached, watcher.quiet() ?? 0);
    if (place <= marked) return undefined;
    marked = place;
    return encoder.encode('BOOKMARK', call.version.bookmarkJson(String(place), false));
  };

  return {
    poll() {
      for (;;) {
        const chunk = nextChunk();
        if (chunk !== undefined) return chunk;
        if (ended) return 'end';
        const batch = watcher.poll();
        if (batch === 'end') return 'end';
        if (batch === undefined) return bookmarks?.due() === true ? bookmark() : undefined;
        receive(batch);
      }
    },
    stop: () => bookmarks?.stop(),
  };
}

/** What this watch has in common with others that are sent the same; undefined for a stream that has a memory. */
function kindOf({ call, options, encoder }: WatchParts): string | undefined {
  if (encoder.cacheKey === undefined) return undefined;
  const { namespace, name } = call.scope;
  const { labelSelector, fieldSelector } = options;
  const { apiVersion } = call.version.view;
  const kind = [apiVersion, encoder.cacheKey, namespace, name, labelSelector, fieldSelector];
  return call.environment.sharedFrames.kind(JSON.stringify(kind));
}

function framesOf({ call, selector, encoder }: WatchParts, batch: readonly HubEntry[]): BatchFrames {
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
