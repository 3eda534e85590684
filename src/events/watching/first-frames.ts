import { toRevision } from '../../api/options/query.js';
import type { Revision } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import type { Waker } from '../../store/watch/watcher.js';
import { bookmarkFrame, joinFrames, type FrameSource, type WatchContext } from './watch-frame.js';
import { RECORDS, readList } from '../listing/read-list.js';
import { jsonBytes } from '../../json/json-source.js';

/**
 * Creates the frames that a watch is sent before the first change: initial events and their bookmark, if requested.
 * `onReady` receives the revision to continue from; if it is not called, the watch ends.
 */
export function createFirstFrames(
  context: WatchContext,
  waker: Waker,
  onReady: (after: Revision) => void,
): FrameSource {
  const frames = firstFrames(context, onReady);
  let isReading = false;
  let step: (() => Uint8Array | 'end') | undefined;
  const read = async (): Promise<void> => {
    isReading = true;
    try {
      const { done, value } = await frames.next();
      step = () => (done ? 'end' : value);
    } catch (error) {
      step = () => {
        throw error;
      };
    }
    isReading = false;
    waker.wake();
  };
  return {
    poll() {
      const ready = step;
      step = undefined;
      if (ready !== undefined) return ready();
      if (!isReading) void read();
      return undefined;
    },
    stop: () => void frames.return(undefined).catch(() => undefined),
  };
}

async function* firstFrames(
  context: WatchContext,
  onReady: (after: Revision) => void,
): AsyncGenerator<Uint8Array, undefined> {
  const { call, options, selection, encoder, signal, counters } = context;
  if (!options.sendInitialEvents) {
    const asked = options.resourceVersion;
    const now = asked === '' || asked === '0';
    const mayBeStale = asked === '0';
    onReady(now ? await call.dependencies.store.revision({ signal, mayBeStale }) : toRevision(asked));
    return;
  }
  const list = await readList(call, { ...options, limit: 0, continue: '' }, selection.selector, RECORDS);
  let ended = false;
  const framesOf = function* (records: readonly EventRecord[]): Generator<Uint8Array> {
    for (const record of records) {
      const frame = signal.aborted ? undefined : encoder.encode('ADDED', jsonBytes(call.version.object(record)));
      ended = frame === undefined;
      if (frame === undefined) return;
      counters?.frames(1);
      yield frame;
    }
  };
  for await (const records of list.batches) {
    yield* joinFrames(framesOf(records));
    if (ended || signal.aborted) return;
  }
  if (options.allowWatchBookmarks) {
    const frame = bookmarkFrame(context, list.revision, true);
    if (!frame) return;
    counters?.frames(1);
    yield frame;
  }
  onReady(list.revision);
}
