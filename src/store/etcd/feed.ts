import type { Change } from '../contract/event-store.js';
import { expired } from '../contract/conditions.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import { pause } from '../../clock/abortable.js';
import { delayAfter } from '../../clock/backoff.js';
import type { FeedOptions, FeedSource } from '../feeds/paged-feed.js';
import { eventSize, type EventRecord, type Revision } from '../contract/record.js';
import type { ClockTimer } from '../../clock/clock.js';
import type { EtcdClient } from './client.js';
import { put, type WatchEvent, type WatchHandle, type WatchResponse } from './connection.js';
import { messageOf } from '../../model/error-message.js';
import type { Layout } from './layout.js';
import type { EtcdSettings } from './options.js';
import { readWatchEvents } from './read-watch.js';

/** How many bytes of changes may wait for their reader before the network is paused. */
const MAX_WAITING_BYTES = 4_194_304;
/** About what a change takes besides the bytes of its events. */
const CHANGE_BYTES = 1_000;
/** After this many broken watches in a row, without a response of etcd in between, the feed fails. */
const MAX_FAILURES = 10;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 800;

/**
 * The latest span of history in which no event changed. Revisions also rise by writes to other keys, so that a reader
 * of quiet events falls behind, and its position may be compacted. What one feed has proven moves the next reader.
 */
export function createIdleSpan() {
  let from = 0;
  let to = 0;
  const holds = (position: Revision): boolean => from <= position && position <= to;
  return {
    /** No change lies after `start`, up to and including `end`. */
    prove(start: Revision, end: Revision): void {
      if (end < to || (end === to && start >= from)) return;
      // A proof that begins inside the span extends it.
      from = start <= to && start >= from && to > from ? from : start;
      to = end;
    },
    /** Where a reader after this revision may begin as well. */
    beyond: (after: Revision): Revision => (holds(after) ? to : after),
    /** The beginning of the span, for a reader inside it. */
    start: (position: Revision): Revision => (holds(position) ? from : position),
  };
}

const sizeOf = (record: EventRecord | undefined): number => (record === undefined ? 0 : eventSize(record.event));

const changesSize = (changes: readonly Change[]): number =>
  changes.reduce((sum, { record, previous }) => sum + CHANGE_BYTES + sizeOf(record) + sizeOf(previous), 0);

interface FeedDependencies {
  readonly settings: EtcdSettings;
  readonly layout: Layout;
  readonly idleSpan: ReturnType<typeof createIdleSpan>;
  readonly client: EtcdClient;
  begin(): Revision;
}

/** One watch of etcd as a feed. It resumes on another member after the last revision it saw, and misses nothing. */
export function openFeed(
  { settings, layout, idleSpan, client, begin }: FeedDependencies,
  { after, onProgress, wake }: FeedOptions,
): FeedSource {
  const { clock, progressMs, requestTimeoutMs, name } = settings;
  const over = new AbortController();
  let position = Math.max(after, idleSpan.beyond(after));
  /** The last change, or where the feed began: nothing happened from there to `position`. */
  let lastChange = idleSpan.start(after);
  let lastProgress = after;
  const waiting: (readonly Change[])[] = [];
  let waitingBytes = 0;
  let parts: WatchEvent[] = [];
  let failure: StoreError | undefined;
  let failures = 0;
  let handle: WatchHandle | undefined;
  let paused = false;
  let timer: ClockTimer | undefined;

  const isOver = (): boolean => over.signal.aborted || failure !== undefined;

  const fail = (error: StoreError): void => {
    failure ??= error;
    handle?.cancel();
    wake();
  };

  const advance = (revision: Revision): void => {
    position = Math.max(position, revision);
    idleSpan.prove(lastChange, position);
  };

  const take = (events: readonly WatchEvent[]): void => {
    const { changes, seen, failure: end } = readWatchEvents(layout, events, position);
    const last = changes.at(-1);
    if (last !== undefined) {
      waiting.push(changes);
      waitingBytes += changesSize(changes);
      lastChange = last.revision;
      if (waitingBytes > MAX_WAITING_BYTES && !paused) {
        paused = true;
        handle?.pause();
      }
    }
    advance(seen);
    if (end !== undefined) fail(end);
  };

  const reconnect = async (reason: unknown): Promise<void> => {
    handle = undefined;
    paused = false;
    parts = [];
    if (isOver()) return;
    if (isStoreError(reason)) return fail(reason);
    if (++failures >= MAX_FAILURES)
      return fail(storeError('unavailable', `the watch of etcd is broken: ${messageOf(reason)}`, { cause: reason }));
    if (failures > 1) await pause(clock, delayAfter(failures - 2, FIRST_DELAY_MS, MAX_DELAY_MS, 0), over.signal);
    await connect();
  };

  const respond = (response: WatchResponse, reset: (reason: unknown) => void): void => {
    if (response.canceled) {
      const { compactRevision: current, cancelReason } = response;
      if (current === 0) reset(new Error(cancelReason || 'etcd canceled the watch'));
      else reset(storeError('expired', `the history of etcd begins at ${current}`, { current }));
      return;
    }
    failures = 0;
    parts.push(...response.events);
    if (response.fragment) return;
    const events = parts;
    parts = [];
    if (events.length > 0) take(events);
    else if (!response.created) advance(response.revision);
    wake();
    schedule();
  };

  const connect = async (): Promise<void> => {
    if (isOver()) return;
    let isBroken = false;
    const reset = (reason: unknown): void => {
      if (isBroken) return;
      isBroken = true;
      handle?.cancel();
      void reconnect(reason);
    };
    try {
      const first = begin();
      if (after < first) throw expired(after, first);
      // From the last revision seen, not the one after: where history was compacted up to the very first revision of a
      // watch, etcd 3.4 and 3.5 lose a deletion at it (etcd-io/etcd#19179).
      const request = { ...layout.watched, startRevision: Math.max(1, position) };
      const listener = {
        response(response: WatchResponse): void {
          if (!isBroken && !over.signal.aborted) respond(response, reset);
        },
        end: reset,
      };
      const watch = await client.watch(request, listener, client.callContext(over.signal));
      if (isOver() || isBroken) return watch.cancel();
      handle = watch;
      schedule(onProgress !== undefined && lastProgress === after ? 0 : undefined);
    } catch (error) {
      await reconnect(error);
    }
  };

  /** Proves, after some silence, that nothing was missed and the watch still works. */
  const prove = async (): Promise<void> => {
    timer = undefined;
    const watch = handle;
    if (watch === undefined || paused) return schedule();
    try {
      const { revision } = await client.txn({ success: [put(layout.tickKey)] }, client.callContext(over.signal));
      if (isOver()) return;
      if (position < revision) await pause(clock, 2 * requestTimeoutMs, over.signal);
      if (position < revision && handle === watch && !paused) {
        watch.cancel();
        await reconnect(new Error(`a watch of ${name} went silent`));
      }
    } catch {
      // Without a write there is no proof: the next attempt follows after the same time.
    }
    schedule();
  };

  const schedule = (delay = progressMs): void => {
    timer?.cancel();
    if (isOver()) return;
    timer = clock.setTimer(() => void prove(), delay);
  };

  void connect();
  return {
    take() {
      const batch = waiting.shift();
      if (batch !== undefined) {
        waitingBytes -= changesSize(batch);
        if (paused && waitingBytes < MAX_WAITING_BYTES / 2) {
          paused = false;
          handle?.resume();
        }
        return batch;
      }
      if (failure !== undefined) throw failure;
      // The reader asks for more, so it has everything up to here.
      if (position > lastProgress) {
        lastProgress = position;
        onProgress?.(lastProgress);
      }
      return undefined;
    },
    end() {
      over.abort();
      timer?.cancel();
      handle?.cancel();
      waiting.length = 0;
    },
  };
}
