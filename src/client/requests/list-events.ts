import { isObject, type JsonObject } from '../../json/json-tree.js';
import type { Event } from '../../model/event.js';
import type { EventListing, EventPage, ListOptions } from '../contract/events-client.js';
import { isExpired, responseError } from '../contract/errors.js';
import { callObject, type CallContext } from './call.js';
import { isWellFormed, type EventPaths } from './paths.js';
import { from, isEventObject } from './read-response.js';
import { readFailed } from './repeat.js';
import { compareRevisions, isOlder, keyOf, revisionOf } from './revisions.js';

/** The most times that a list begins again: a server may never return it completely. */
const MAX_RESTARTS = 10;
/** Servers fill their pages, so that empty ones are rare. */
const MAX_EMPTY_PAGES = 1_000;

export function listEvents(context: CallContext, paths: EventPaths, options: ListOptions): EventListing {
  const pages = (): AsyncGenerator<EventPage, void, undefined> => readPages(context, paths, options);
  return {
    pages,
    [Symbol.asyncIterator]: () => eachOnce(pages(), from(context)),
    async toArray(maxEvents = 1_000_000) {
      if (!(maxEvents >= 0)) throw new TypeError('toArray: maxEvents must be a number of at least 0');
      let events: Event[] = [];
      for await (const page of pages()) {
        if (page.restarted) events = [];
        if (events.length + page.items.length > maxEvents) {
          throw responseError(`the list${from(context)} has more than ${maxEvents} events`, 200);
        }
        for (const event of page.items) events.push(event);
      }
      return events;
    },
  };
}

async function* readPages(
  context: CallContext,
  paths: EventPaths,
  options: ListOptions,
): AsyncGenerator<EventPage, void, undefined> {
  let token: string | undefined;
  let restarts = 0;
  let restarted = false;
  let empty = 0;
  /** An earlier token, replaced after 1, 2, 4, 8… pages: a cycle of tokens, however long, comes back to it. */
  let earlier: string | undefined;
  let last: Event | undefined;
  for (let count = 1; ; count++) {
    let page: EventPage;
    try {
      // The token contains the revision: servers refuse another one beside it.
      const { resourceVersion, resourceVersionMatch } = token === undefined ? options : {};
      const { pageSize: limit = 500, order } = options;
      const query = { limit, continue: token, resourceVersion, resourceVersionMatch, order };
      const request = { method: 'GET', url: paths.selection(options, query) } as const;
      page = pageOf(await callObject(context, request, options, readFailed), from(context));
    } catch (error) {
      if (token === undefined || !isExpired(error) || restarts === MAX_RESTARTS) throw error;
      restarts++;
      restarted = true;
      token = undefined;
      earlier = undefined;
      last = undefined;
      count = 0;
      continue;
    }
    if (options.order !== undefined) last = requireNewestFirst(page, last, from(context));
    yield restarted ? { ...page, restarted } : page;
    restarted = false;
    if (page.continue === undefined) return;
    if (page.continue === earlier) {
      throw responseError(`${context.server ?? 'the server'} returns the same continue token again and again`, 200);
    }
    if (Number.isInteger(Math.log2(count))) earlier = page.continue;
    empty = page.items.length === 0 ? empty + 1 : 0;
    if (empty === MAX_EMPTY_PAGES)
      throw responseError(`${empty} pages of the list${from(context)} in a row are empty`, 200);
    token = page.continue;
  }
}

/** Checks the order of a page, whose events follow `last`, and returns its last event. */
function requireNewestFirst({ items }: EventPage, last: Event | undefined, from: string): Event | undefined {
  for (const event of items) {
    if (last !== undefined && !isOlder(revisionOf(event), revisionOf(last))) {
      throw responseError(`the list${from} does not begin with the newest event: the server ignores the order`, 200);
    }
    last = event;
  }
  return last;
}

function pageOf(list: JsonObject, from: string): EventPage {
  const notEvents = (reason: string): Error =>
    responseError(`the response${from} is not a list of events: ${reason}`, 200);
  const { items, metadata, apiVersion } = list;
  if (!isObject(metadata)) throw notEvents('it has no metadata');
  if (!(items === null || Array.isArray(items))) throw notEvents('its items are not an array');
  const events = (items ?? []) as JsonObject[];
  for (const event of events) {
    if (!isEventObject(event)) throw notEvents(`items[${events.indexOf(event)}] has no metadata of an event`);
    // The items of a list leave out the common kind and version.
    event.kind ??= 'Event';
    event.apiVersion ??= apiVersion;
  }
  const { resourceVersion, continue: next, remainingItemCount: left } = metadata;
  for (const text of [resourceVersion, next]) {
    if (typeof text === 'string' && !isWellFormed(text)) throw notEvents('its metadata has half of a surrogate pair');
  }
  return {
    items: events as unknown as Event[],
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    ...(typeof next === 'string' && next !== '' && { continue: next }),
    ...(typeof left === 'number' && { remainingItemCount: left }),
  };
}

/** How far a list came before it began again. */
interface Reached {
  readonly resourceVersion: string;
  readonly key: string;
}

/**
 * The events of pages, each once. After a list began again, events that were given before are left out: those not after
 * the last one given then, in the list's order by namespace and name, and not newer than that list's revision. Where it
 * began again at an older revision (a restored backup), revisions were used again and prove nothing: all are given.
 */
async function* eachOnce(pages: AsyncIterable<EventPage>, from: string): AsyncGenerator<Event, void, undefined> {
  const before: Reached[] = [];
  let now: Reached | undefined;
  let last = '';
  let isOrdered = true;
  for await (const page of pages) {
    if (page.restarted && now !== undefined) {
      if (isOlder(page.resourceVersion, now.resourceVersion)) before.length = 0;
      else before.push(now);
      last = '';
      if (before.length === 0) isOrdered = true;
    }
    if (before.length > 0 && !(isOrdered && isComparable(page.resourceVersion))) throw notComparable(from);
    for (const event of page.items) {
      const key = keyOf(event);
      if (key <= last) isOrdered = false;
      last = key;
      if (!before.some((reached) => wasGiven(event, key, reached, from))) yield event;
    }
    now = { resourceVersion: page.resourceVersion, key: last };
  }
}

const isComparable = (revision: string): boolean => compareRevisions(revision, '0') !== undefined;

function wasGiven(event: Event, key: string, reached: Reached, from: string): boolean {
  if (key > reached.key) return false;
  const order = compareRevisions(revisionOf(event), reached.resourceVersion);
  if (order === undefined) throw notComparable(from);
  return order <= 0;
}

const notComparable = (from: string): Error =>
  responseError(`the list${from} began again, and its events cannot be compared with those given before`, 200);
