import { toRevision } from '../../api/options/query.js';
import type { Revision } from '../../store/contract/event-store.js';
import type { Sleeper } from '../../store/watch/watcher.js';
import { createFrameJoiner, bookmarkFrame, type FrameSource, type WatchParts } from './watch-frame.js';
import { RECORDS, readList } from '../listing/read-list.js';

/**
 * What a watch is sent before the first change: initial events and their bookmark, where they are due, or nothing.
 * `onReady` is told from which revision to go on; without that the watch is over.
 */
export function createFirstFrames(
  parts: WatchParts,
  sleeper: Sleeper,
  onReady: (after: Revision) => void,
): FrameSource {
  const frames = firstFrames(parts, onReady);
  let asked = false;
  let chunk: Uint8Array | undefined;
  let ended = false;
  let failure: { readonly error: unknown } | undefined;
  const received = (step: IteratorResult<Uint8Array, undefined>): void => {
    asked = false;
    if (step.done) ended = true;
    else chunk = step.value;
    sleeper.wake();
  };
  const failed = (error: unknown): void => {
    failure = { error };
    sleeper.wake();
  };
  return {
    poll() {
      if (failure !== undefined) throw failure.error;
      if (ended) return 'end';
      const ready = chunk;
      chunk = undefined;
      if (ready === undefined && !asked) {
        asked = true;
        frames.next().then(received, failed);
      }
      return ready;
    },
    stop: () => void frames.return(undefined).catch(() => undefined),
  };
}

async function* firstFrames(
  parts: WatchParts,
  onReady: (after: Revision) => void,
): AsyncGenerator<Uint8Array, undefined> {
  const { call, options, selector, encoder, signal } = parts;
  if (!options.sendInitialEvents) {
    const asked = options.resourceVersion;
    const now = asked === '' || asked === '0';
    const mayBeStale = asked === '0';
    onReady(now ? await call.dependencies.store.revision({ signal, mayBeStale }) : toRevision(asked));
    return;
  }
  const joiner = createFrameJoiner();
  const list = await readList(call, { ...options, limit: 0, continue: '' }, selector, RECORDS);
  for await (const records of list.batches) {
    if (signal.aborted) return;
    for (const record of records) {
      const frame = encoder.encode('ADDED', call.version.objectJson(record));
      if (!frame) return;
      parts.tally?.frames(1);
      const chunk = joiner.add(frame);
      if (chunk) yield chunk;
      if (signal.aborted) return;
    }
    const chunk = joiner.rest();
    if (chunk) yield chunk;
  }
  if (options.allowWatchBookmarks) {
    const frame = bookmarkFrame(parts, list.revision, true);
    if (!frame) return;
    parts.tally?.frames(1);
    yield frame;
  }
  onReady(list.revision);
}
