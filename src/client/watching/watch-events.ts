import { checkOptions } from '../../options/check-options.js';
import { aBoolean, anAbortSignal, aNonEmptyString, mustBe, oneOf } from '../../options/rules.js';
import type { EventChange, RelistedNotice } from './changes.js';
import { createDiffingView } from './diffing-view.js';
import { follow } from './follow.js';
import { createPassThroughView } from './pass-through-view.js';
import { rememberedEvents, rememberedVersions } from './remembered.js';
import type { View } from './view.js';
import { followRules, type WatchEventsOptions } from './watch-options.js';

/**
 * Follows the events of a server: first those that exist, as `added`, then every change once and in order, for as long
 * as it is iterated. It resumes after lost and silent connections and restarts of the server from the last revision it
 * has seen; if that has expired on the server, it reads a list and returns the difference. Nothing is read ahead of a
 * slow consumer.
 *
 * It ends when the signal is aborted or the loop is left. It throws only a permanent refusal before any request has
 * succeeded, a StatusError such as 403, and a ConnectionError when the transport of the client is closed. After all
 * other failures it retries, first after 0.1 s, in the end every ten seconds.
 *
 * @throws TypeError that lists every fault of the options
 */
export function watchEvents(
  options: WatchEventsOptions & {
    /** See {@link WatchEventsOptions.remember}. */
    readonly remember?: 'versions' | 'events' | undefined;
  },
): AsyncIterableIterator<EventChange>;
/** The same, without memory: missed changes are a {@link RelistedNotice}. */
export function watchEvents(options: WatchEventsOptions): AsyncIterableIterator<EventChange | RelistedNotice>;
export function watchEvents(options: WatchEventsOptions): AsyncIterableIterator<EventChange | RelistedNotice> {
  const rules = {
    ...followRules(),
    resourceVersion: aNonEmptyString,
    since: oneOf('now'),
    remember: mustBe(
      (value) => value === 'versions' || value === 'events' || value === false,
      "'versions', 'events' or false",
    ),
    watchList: aBoolean,
    signal: anAbortSignal,
  };
  checkOptions('watchEvents', options, rules, ({ resourceVersion, since }) => [
    resourceVersion !== undefined && since !== undefined && 'resourceVersion and since exclude each other',
  ]);
  const { resourceVersion, since, remember = 'versions', watchList = true } = options;
  // To find deletions later, existing events have to be known even if they are not given.
  const lists = resourceVersion === undefined && (since === undefined || remember !== false);
  return follow('watchEvents', options, {
    view: viewOf(remember, resourceVersion, since),
    start: resourceVersion !== undefined ? { after: resourceVersion } : lists ? 'list' : 'latest',
    watchList,
  });
}

function viewOf(
  remember: 'versions' | 'events' | false,
  after: string | undefined,
  since: 'now' | undefined,
): View<EventChange | RelistedNotice> {
  if (remember === false) return createPassThroughView(after !== undefined || since !== undefined);
  const remembered = remember === 'events' ? rememberedEvents() : rememberedVersions();
  return createDiffingView(remembered, after, since !== undefined);
}
