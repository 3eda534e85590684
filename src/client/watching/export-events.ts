import { onAbort, untilAborted } from '../../clock/abortable.js';
import { createBackoff } from '../../clock/backoff.js';
import { systemClock } from '../../clock/clock.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import type { Event } from '../../model/event.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier } from '../../observe/observation.js';
import { checkOptions } from '../../options/check-options.js';
import { anAbortSignal, anObjectWith, aNumber, aWholeNumber, required } from '../../options/rules.js';
import { requestedPause } from '../requests/repeat.js';
import { batchesOf } from './batches.js';
import { follow } from './follow.js';
import { createNewerView } from './newer-view.js';
import { compareRevisions, revisionOf } from '../requests/revisions.js';
import { followRules, type FollowOptions } from './watch-options.js';

/** The longest pause before a sink is tried again, in milliseconds. */
const MAX_PAUSE_MS = 30_000;
/** The longest pause that a sink can request, in milliseconds. */
const MAX_REQUESTED_PAUSE_MS = 600_000;
/** How many events of a list are held to be sorted, at most twice as many for a moment. */
const MAX_HELD = 10_000;

/** The destination of an export. */
export interface EventSink {
  /**
   * Returns the cursor of the last batch that was written, unchanged; `undefined` before the first batch. Without this
   * function every start begins with all existing events.
   */
  cursor?(): string | undefined | Promise<string | undefined>;
  /**
   * Writes a batch and stores its cursor. A sink that does both in one transaction gets every version exactly once;
   * another one, such as a webhook, gets a batch again when it fails after a part of it, or when the process ends
   * before the cursor is stored.
   *
   * When it throws or rejects, the same batch is passed again after a pause, until it succeeds; `retryAfterMs` of the
   * error, in milliseconds, makes that pause longer. So a sink has to skip events that it can never accept.
   */
  write(
    batch: readonly Event[],
    cursor: string,
    context: {
      /** The `signal` of the options; never aborted if they have none. */
      readonly signal: AbortSignal;
    },
  ): void | Promise<void>;
}

/** Options of {@link exportEvents}. */
export interface ExportEventsOptions extends FollowOptions {
  /** The destination of the export. */
  readonly sink: EventSink;
  /** The maximum number of events in a batch. Default: 100. */
  readonly batchSize?: number | undefined;
  /** How long the first event of a batch waits for others, in milliseconds. Default: 1,000. */
  readonly batchMs?: number | undefined;
  /** Ends the export. The sink finishes its batch; the next start exports the rest. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Passes every version of every event to a sink, in the order of their revisions, with a cursor from which the next
 * start resumes. Deletions are not exported. A version that is replaced or deleted while there is no watch, and that is
 * no longer in the server's history afterwards, is missed; everything that still exists and is newer than the cursor is
 * exported. After a server's revisions have gone back (a restored backup), everything that exists is exported again,
 * because new events cannot be distinguished from old ones.
 *
 * @returns a promise that is fulfilled when the signal is aborted, and rejected by a permanent refusal before any
 * request has succeeded, and when the transport of the client is closed
 * @throws TypeError that lists every fault of the options
 */
export function exportEvents(options: ExportEventsOptions): Promise<void> {
  checkOptions('exportEvents', options, {
    ...followRules(),
    sink: required(anObjectWith(['write'], 'a sink: an object with write(batch, cursor)')),
    batchSize: aWholeNumber(1, 10_000),
    batchMs: aNumber(0, 3_600_000),
    signal: anAbortSignal,
  });
  return run(options);
}

async function run(options: ExportEventsOptions): Promise<void> {
  const { batchSize = 100, batchMs = 1_000, clock = systemClock } = options;
  // Its own, because Node warns about a signal with more than ten listeners, and each pause and sink may add one.
  const stopping = new AbortController();
  const { signal } = stopping;
  const unlisten = onAbort(options.signal, () => stopping.abort(options.signal?.reason));
  const delivery = createDelivery(options, signal);
  const release = keepProcessAlive();
  try {
    const cursor = await delivery.stored();
    if (signal.aborted) return;
    checkCursor(cursor);
    const events = follow<Event>('exportEvents', options, {
      view: createNewerView(cursor, MAX_HELD),
      start: cursor === undefined ? 'list' : { after: cursor },
      watchList: false,
    });
    try {
      for await (const batch of batchesOf(events, batchSize, batchMs, clock)) {
        if (signal.aborted) return;
        await delivery.write(batch, revisionOf(batch[batch.length - 1] as Event));
      }
    } finally {
      await events.return?.();
    }
  } finally {
    unlisten();
    release();
  }
}

/** Sinks without types may return another type of cursor from their database, such as a number. */
function checkCursor(cursor: unknown): asserts cursor is string | undefined {
  if (cursor === undefined) return;
  const isText = typeof cursor === 'string';
  if (isText && compareRevisions(cursor, '0') !== undefined) return;
  const shown = isText ? JSON.stringify(cursor) : `${String(cursor)} (${typeof cursor})`;
  throw new TypeError(`exportEvents: sink.cursor() returned ${shown}, which is not a cursor`);
}

/** Calls a sink until it succeeds, or the export is to end. */
function createDelivery({ sink, clock = systemClock, observe }: ExportEventsOptions, signal: AbortSignal) {
  const backoff = createBackoff(clock, MAX_PAUSE_MS);
  const failures = createFailureSeries('exportEvents: sink', createNotifier(observe), clock);

  const repeated = async <T>(attempt: (isFirst: boolean) => T | Promise<T>): Promise<T | undefined> => {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const result = await attempt(isFirst);
        failures.worked();
        backoff.reset();
        return result;
      } catch (error) {
        if (signal.aborted) return undefined;
        failures.failed(error);
        await backoff.pause(signal, requestedPause(error, MAX_REQUESTED_PAUSE_MS));
        if (signal.aborted) return undefined;
      }
    }
  };

  // A cursor may never come, for example from a database that hangs.
  const kept = (): Promise<string | undefined> => untilAborted(Promise.resolve(sink.cursor?.()), signal);

  return {
    stored: () => repeated(kept),
    write: (batch: readonly Event[], cursor: string) =>
      repeated(async (isFirst) => {
        // A write may have succeeded although its response was lost.
        if (!isFirst && (await kept()) === cursor) return;
        await sink.write(batch, cursor, { signal });
      }),
  };
}
