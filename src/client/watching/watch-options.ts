import type { Clock } from '../../clock/clock.js';
import type { Observe } from '../../observe/observation.js';
import type { OptionRules } from '../../options/check-options.js';
import { aClock, aFunction, anObjectWith, aNumber, aWholeNumber, required } from '../../options/rules.js';
import type { EventSelection, EventsClient } from '../contract/events-client.js';
import { selectionRules } from '../requests/call-options.js';

/** The common options of everything that follows events. */
export interface FollowOptions extends EventSelection {
  /** The client whose server is followed. */
  readonly client: EventsClient;
  /** The number of events in one page of a list. Default: that of `list` of the client, 500. */
  readonly pageSize?: number | undefined;
  /**
   * How long a connection may be without a frame before it is closed and resumed, in milliseconds. It adapts: to half
   * as long again as the time between the server's bookmarks, and to twice as long with each connection in a row that
   * was silent, at most five minutes. Default: 30,000, at least 100.
   */
  readonly silenceMs?: number | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Called when attempts fail in a row (`error` with a `count`), and when they work again (`recovered`). Default: the
   * first failure is a warning of the process, see {@link Observe}.
   */
  readonly observe?: Observe | undefined;
}

/** Options of {@link watchEvents}. */
export interface WatchEventsOptions extends FollowOptions {
  /** Begins after this resourceVersion, which was seen before, instead of with the events that exist. */
  readonly resourceVersion?: string | undefined;
  /** `now`: only changes are returned. Default: existing events are returned first, as `added`. */
  readonly since?: 'now' | undefined;
  /**
   * The part of each event that is kept in memory, so that nothing is returned twice and missed changes can be found.
   * `versions`: its name, UID and revision, 230 bytes. `events`: all of it, so that changes have `previous`. `false`:
   * nothing; missed changes are replaced by a `relisted` notice. Default: `versions`.
   */
  readonly remember?: 'versions' | 'events' | false | undefined;
  /**
   * Whether to begin with WatchList (`sendInitialEvents`): the server sends the existing events over the watch itself.
   * If it refuses that, or sends nothing for ten seconds before the end of these events, lists are read instead.
   * Default: true.
   */
  readonly watchList?: boolean | undefined;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
}

export const followRules = (): OptionRules<FollowOptions> => ({
  client: required(anObjectWith(['list', 'watch'], 'an events client, such as that of createEventsClient')),
  ...selectionRules,
  pageSize: aWholeNumber(1, 10_000),
  silenceMs: aNumber(100, 86_400_000),
  clock: aClock,
  observe: aFunction,
});
