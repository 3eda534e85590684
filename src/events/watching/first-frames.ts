import { toRevision } from '../../api/options/query.js';
import type { ListPage, Revision } from '../../store/contract/event-store.js';
import { eventSize, recordsSize, type EventRecord } from '../../store/contract/record.js';
import type { Waker } from '../../store/watch/watcher.js';
import { bookmarkFrame, CHUNK_BYTES, joinFrames, type FrameSource, type WatchContext } from './watch-frame.js';
import { inBatches, RECORDS } from '../listing/read-list.js';
import { PAGE, PageReader } from '../listing/read-pages.js';
import { deadlineExceeded } from '../request/store-failures.js';
import { LARGE_BYTES } from '../../limits/response-bytes.js';
import { jsonBytes } from '../../json/json-source.js';

/**
 * Creates the frames that a watch is sent before the first change: initial events and their bookmark, if requested.
 * `onReady` receives the revision to continue from; if it is not called, the watch ends. A store that takes longer than
 * a request may take fails it.
 */
export function createFirstFrames(
  context: WatchContext,
  waker: Waker,
  onReady: (after: Revision) => void,
): FrameSource {
  const frames = firstFrames(context, onReady);
  const { clock, requestTimeoutMs } = context.call.dependencies;
  let isReading = false;
  let step: (() => Uint8Array | 'end') | undefined;
  const read = async (): Promise<void> => {
    isReading = true;
    const failed = (error: unknown): void => {
      step = () => {
        throw error;
      };
      waker.wake();
    };
    // The status has been sent: a store that does not respond is reported in the stream.
    const timer = clock.setTimer(() => failed(deadlineExceeded()), requestTimeoutMs);
    try {
      const { done, value } = await frames.next();
      isReading = false;
      step = () => (done ? 'end' : value);
      waker.wake();
    } catch (error) {
      failed(error);
    } finally {
      timer.cancel();
    }
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
  const { caller, life } = call;
  const { limits, store } = call.dependencies;
  if (!options.sendInitialEvents) {
    const asked = options.resourceVersion;
    const now = asked === '' || asked === '0';
    const mayBeStale = asked === '0';
    onReady(now ? await store.revision({ signal, mayBeStale }) : toRevision(asked));
    return;
  }
  const { selector } = selection;
  const pages = new PageReader(call, { ...options, limit: 0, continue: '' }, selector, false);
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
  let wanted = PAGE;
  let page = (await pages.first(wanted)) as ListPage;
  const { revision } = page;
  for (;;) {
    const byteLength = recordsSize(page.records);
    // The client may read slowly.
    const release = byteLength > LARGE_BYTES ? limits.holdChunk({ byteLength }, caller, life) : nothing;
    if (release === undefined) page = beginningOf(page);
    try {
      for await (const records of inBatches(page.records, RECORDS, pages.slice, selector)) {
        yield* joinFrames(framesOf(records));
        if (ended || signal.aborted) return;
      }
    } finally {
      release?.();
    }
    if (page.next === undefined) break;
    wanted = release === undefined ? FEW : Math.min(2 * wanted, PAGE);
    page = await pages.nextRecords(page.next, wanted);
  }
  if (options.allowWatchBookmarks) {
    const frame = bookmarkFrame(context, revision, true);
    if (!frame) return;
    counters?.frames(1);
    yield frame;
  }
  onReady(revision);
}

const nothing = (): void => undefined;

/** How many events are read without capacity for those that were read before. */
const FEW = 32;

/** What a watch holds of a page without capacity for all of it: 32 KiB and an event. The rest is read again. */
function beginningOf(page: ListPage): ListPage {
  let bytes = 0;
  const end = page.records.findIndex(({ event }) => (bytes += eventSize(event)) > CHUNK_BYTES) + 1;
  const records = page.records.slice(0, end);
  return { ...page, records, next: end < page.records.length ? records.at(-1)?.key : page.next };
}
