import { pause } from '../clock/abortable.js';
import { createDelays } from '../clock/backoff.js';
import { systemClock, type Clock } from '../clock/clock.js';
import { each } from '../clock/each.js';
import { optionFaults, throwFaults, type OptionRules } from '../options/check-options.js';
import { aBoolean, aClock, aFunction, anAbortSignal, aWholeNumber, required } from '../options/rules.js';
import type { EventKey, EventStore, ListPage, Position, Revision } from './contract/event-store.js';
import { hasCode, isStoreError, type StoreError } from './contract/errors.js';
import type { EventRecord } from './contract/record.js';
import { sameBytes } from './contract/keys.js';
import { anEventStore } from './contract/store-rule.js';
import { createStoreTime } from './store-time.js';

/** Options of {@link copyEvents}. */
export interface CopyEventsOptions {
  /** Called after each page. An error that it throws ends the copy. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** Called for each event that is skipped, at once. An error that it throws ends the copy. */
  readonly onSkipped?: ((skipped: SkippedEvent) => void) | undefined;
  /** Ends the copy with the signal's reason. Events that were copied stay in `to`. */
  readonly signal?: AbortSignal | undefined;
  /** How many events are read at once, from 1 to 10,000. Default: 500. */
  readonly pageSize?: number | undefined;
  /**
   * How many writes are in progress at once, from 1 to 1,000. Default: 32: engines combine concurrent writes into one
   * commit.
   */
  readonly concurrency?: number | undefined;
  /**
   * `true` replaces events of the same name that are different in `to`. Default: `false`: they are left unchanged and
   * listed.
   */
  readonly overwrite?: boolean | undefined;
  /**
   * The clock of this process, which measures how long a store is waited for, and determines which events have expired
   * if neither store has a clock. Default: the system clock.
   */
  readonly clock?: Clock | undefined;
}

/** The progress of a copy. Each event read is in exactly one of the counts. */
export interface CopyProgress {
  /** How many events were created in `to`. */
  readonly copied: number;
  /** How many were in `to` already, with the same uid and the same bytes: from an earlier run. */
  readonly present: number;
  /** How many were different in `to`, and were replaced (`overwrite`). */
  readonly overwritten: number;
  /** How many were skipped because they have expired. */
  readonly expired: number;
  /** How many were skipped for another reason: see {@link CopyResult.skipped}. */
  readonly left: number;
  /** How many are still to be read; `undefined` where the store does not count them. */
  readonly remaining: number | undefined;
}

/** An event that was not copied. */
export interface SkippedEvent {
  /** Which event it is. */
  readonly key: EventKey;
  /**
   * `different`: `to` has another event of that name. `too-large`, `invalid-key`: `to` refuses an event of that size,
   * or with that namespace or name.
   */
  readonly why: 'different' | 'too-large' | 'invalid-key';
}

/** What a copy did. */
export interface CopyResult extends Omit<CopyProgress, 'left' | 'remaining'> {
  /** The events that were not copied, with the reason. */
  readonly skipped: readonly SkippedEvent[];
  /** The revision of `from` whose state was copied. */
  readonly revision: Revision;
  /** `false` when the copy took longer than the history of `from`: the remaining events were read from later states. */
  readonly consistent: boolean;
}

type Outcome = 'copied' | 'present' | 'overwritten' | 'expired' | SkippedEvent['why'];

const ATTEMPTS = 5;
/** How long a store that is unavailable is waited for, in milliseconds: until it has restarted or failed over. */
const AWAY_MS = 30_000;

/**
 * Copies all events of one store into another: the state of `from` at one revision, page by page, with the same bytes
 * and the same expiry times. **Revisions are those of `to`**, so that watches and continue tokens of clients become
 * invalid: clients start again with a list.
 *
 * It may be run again at any time, also after a failure: events that exist already with equal uid and bytes are counted
 * and not written. Events that are written to `from` meanwhile are not copied, so stop its writers first, or run it
 * once more afterwards.
 *
 * A store that is unavailable, as during a restart, is called again for half a minute.
 *
 * @throws StoreError of either store, when it failed or stayed unavailable; events that were copied until then stay.
 * @throws TypeError (as a rejection) that lists every unusable option.
 */
export async function copyEvents(
  from: EventStore,
  to: EventStore,
  options: CopyEventsOptions = {},
): Promise<CopyResult> {
  throwFaults('copyEvents', [
    ...required(anEventStore)(from, 'from'),
    ...required(anEventStore)(to, 'to'),
    ...(from === to ? ['from and to are the same store'] : []),
    ...optionFaults(options, rules()),
  ]);
  const {
    onProgress,
    onSkipped,
    signal,
    pageSize = 500,
    concurrency = 32,
    overwrite = false,
    clock = systemClock,
  } = options;
  const time = createStoreTime({ store: to.now === undefined ? from : to, clock });
  const counts = { copied: 0, present: 0, overwritten: 0, expired: 0 };
  const skipped: SkippedEvent[] = [];

  const put = async (record: EventRecord, laneSignal: AbortSignal | undefined): Promise<void> => {
    const { key } = record;
    const outcome =
      record.expiresAt <= time.now()
        ? 'expired'
        : await whenAvailable(clock, laneSignal, () => copyOne(to, record, overwrite, laneSignal));
    if (outcome === 'different' || outcome === 'too-large' || outcome === 'invalid-key') {
      skipped.push({ key, why: outcome });
      onSkipped?.({ key, why: outcome });
    } else {
      counts[outcome] += 1;
    }
  };

  // One for each write in progress: Node warns about a signal with more than ten listeners.
  const laneSignals = Array.from({ length: concurrency }, () => signal && AbortSignal.any([signal]));
  let revision: Revision | undefined;
  let consistent = true;
  await whenAvailable(clock, signal, async () => time.known({ signal }));
  const list: EventStore['list'] = (query) => whenAvailable(clock, signal, () => from.list(query));
  for await (const page of pagesOf(list, pageSize, signal)) {
    revision ??= page.revision;
    consistent &&= page.revision === revision;
    await each(page.records, laneSignals, put);
    signal?.throwIfAborted();
    onProgress?.({ ...counts, left: skipped.length, remaining: page.next ? page.remaining : 0 });
  }
  return { ...counts, skipped, revision: revision ?? 0, consistent };
}

/** Yields pages of one state; when its revision has expired, the rest comes from the latest state. */
async function* pagesOf(
  list: EventStore['list'],
  limit: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListPage> {
  let at: Revision | undefined;
  let after: Position | undefined;
  do {
    let page: ListPage;
    try {
      page = await list({ at, after, limit, signal });
    } catch (error) {
      if (!hasCode(error, 'expired')) throw error;
      page = await list({ after, limit, signal });
    }
    at = page.revision;
    after = page.next;
    yield page;
  } while (after !== undefined);
}

/** Repeats what a store did not do because it was unavailable; a write of unknown outcome finds what it has written. */
async function whenAvailable<T>(clock: Clock, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const end = clock.monotonic() + AWAY_MS;
  const delays = createDelays();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAway = hasCode(error, 'unavailable', 'unknown-outcome') && !(error as StoreError).onlyWrites;
      const delayMs = delays.next();
      if (!isAway || clock.monotonic() + delayMs > end) throw error;
      await pause(clock, delayMs, signal);
      signal?.throwIfAborted();
    }
  }
}

async function copyOne(
  to: EventStore,
  { key, event, expiresAt }: EventRecord,
  overwrite: boolean,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      const stored = attempt === 1 ? undefined : await to.get(key, { signal });
      if (stored === undefined) {
        await to.create(key, event, { expiresAt, signal });
        return 'copied';
      }
      if (sameBytes(stored.event.bytes, event.bytes)) return 'present';
      if (!overwrite) return 'different';
      await to.replace(key, event, { expected: stored.revision, expiresAt, signal });
      return 'overwritten';
    } catch (error) {
      if (isStoreError(error) && (error.code === 'too-large' || error.code === 'invalid-key')) return error.code;
      // Another client wrote to the same key: try again.
      if (attempt === ATTEMPTS || !hasCode(error, 'exists', 'not-found', 'conflict')) throw error;
    }
  }
}

const rules = (): OptionRules<CopyEventsOptions> => ({
  onProgress: aFunction,
  onSkipped: aFunction,
  signal: anAbortSignal,
  pageSize: aWholeNumber(1, 10_000),
  concurrency: aWholeNumber(1, 1_000),
  overwrite: aBoolean,
  clock: aClock,
});
