import type { Event } from '../../model/event.js';
import { createNotifier } from '../../observe/observation.js';
import { checkOptions } from '../../options/check-options.js';
import { aBoolean, anAbortSignal, mustBe } from '../../options/rules.js';
import type { EventKey } from '../contract/events-client.js';
import type { EventChange } from './changes.js';
import { createDiffingView } from './diffing-view.js';
import { follow } from './follow.js';
import { createIndexes, type EventIndexer } from './index-by.js';
import { rememberedEvents } from './remembered.js';
import { followRules, type FollowOptions, type WatchEventsOptions } from './watch-options.js';

/** Options of {@link createEventsCache}. */
export interface EventsCacheOptions extends FollowOptions, Pick<WatchEventsOptions, 'watchList'> {
  /** The indexes of `byIndex` by name, such as `{ byObject: ({ regarding }) => regarding?.name }`. Default: none. */
  readonly indexers?: Readonly<Record<string, EventIndexer>> | undefined;
  /** Closes the cache. */
  readonly signal?: AbortSignal | undefined;
}

/** Called by {@link EventsCache.on}. Its errors and rejections are reported to `observe` and have no other effect. */
export type EventHandler = (event: Event, previous: Event | undefined) => unknown;

/** The events of a server as they are now, kept up to date by a watch. All functions may be detached. */
export interface EventsCache {
  /**
   * The event, if there is one. Do not change it: it is the cache's own. The default namespace is that of the options.
   */
  get(key: EventKey): Event | undefined;
  /** All events, or those of a namespace, in no particular order. */
  list(namespace?: string): readonly Event[];
  /** The events for which an indexer returned this value. @throws TypeError for an index that does not exist */
  byIndex(index: string, value: string): readonly Event[];
  /** How many events there are. */
  readonly size: () => number;
  /**
   * Calls the handler for every event that is added, updated or deleted from now on, in order, and is not waited for.
   * For `added` it is also called for the events that exist already, before `on` returns, as in informers. The second
   * argument is the event before the change. Returns a function that ends the calls.
   */
  on(type: EventChange['type'], handler: EventHandler): () => void;
  /**
   * Resolves when all events have been read once. Rejects when the server refuses that permanently (StatusError such as
   * 403), and when the cache is closed before.
   */
  readonly synced: Promise<void>;
  /** Ends the watch. The events that were read stay. May be called twice. */
  close(): Promise<void>;
}

/**
 * Makes a cache like an informer of client-go. It begins at once, and keeps every event that is selected in memory.
 *
 * @throws TypeError that lists every fault of the options
 */
export function createEventsCache(options: EventsCacheOptions): EventsCache {
  checkOptions('createEventsCache', options, {
    ...followRules(),
    indexers: mustBe(
      (value) =>
        typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'function'),
      'an object of functions',
    ),
    watchList: aBoolean,
    signal: anAbortSignal,
  });
  const { indexers = {}, watchList = true, client } = options;
  const notify = createNotifier(options.observe);
  const events = new Map<string, Event>();
  const indexes = createIndexes(indexers, (name, error) =>
    notify({ type: 'error', error, where: `createEventsCache: indexer ${name}` }),
  );
  const handlers: Record<EventChange['type'], Set<EventHandler>> = {
    added: new Set(),
    updated: new Set(),
    deleted: new Set(),
  };

  const call = (type: EventChange['type'], handler: EventHandler, event: Event, previous?: Event): void => {
    // An async function would keep the events in memory until its handler has finished.
    const failed = (error: unknown): void =>
      notify({ type: 'error', error, where: `createEventsCache: handler of ${type}` });
    try {
      Promise.resolve(handler(event, previous)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  let listed = (): void => undefined;
  let ended: (error: Error) => void = () => undefined;
  const synced = new Promise<void>((...settle) => ([listed, ended] = settle));
  // A failure that nobody awaits has been reported to `observe`.
  synced.catch(() => undefined);

  /** What was put last. Its change is returned a moment later, so handlers may not have been called with it. */
  let latest: Event | undefined;
  const changing = (key: string, after: Event | undefined): void => {
    latest = after ?? latest;
    indexes.changed(key, after);
  };
  const changes = follow<EventChange>('createEventsCache', options, {
    view: createDiffingView(rememberedEvents(events, changing)),
    start: 'list',
    watchList,
    onListed: () => listed(),
  });
  const run = async (): Promise<void> => {
    try {
      for await (const { type, event, previous } of changes) {
        for (const handler of [...handlers[type]]) call(type, handler, event, previous);
      }
      ended(new Error('the cache was closed before it was complete'));
    } catch (error) {
      notify({ type: 'error', error, where: 'createEventsCache' });
      ended(error as Error);
    }
  };
  const running = run();

  return {
    get: ({ namespace = options.namespace ?? client.namespace ?? '', name }) => events.get(`${namespace}/${name}`),
    list(namespace) {
      if (namespace === undefined) return [...events.values()];
      return [...events.values()].filter(({ metadata }) => metadata.namespace === namespace);
    },
    byIndex: indexes.find,
    size: () => events.size,
    on(type, handler) {
      if (!Object.hasOwn(handlers, type)) throw new TypeError("on: the type must be 'added', 'updated' or 'deleted'");
      if (typeof handler !== 'function') throw new TypeError('on: the handler must be a function');
      const known = type === 'added' ? latest : undefined;
      // A handler that is registered twice is called twice.
      const entry: EventHandler = (event, previous) => event !== known && handler(event, previous);
      if (type === 'added') for (const event of [...events.values()]) call(type, handler, event);
      handlers[type].add(entry);
      return () => void handlers[type].delete(entry);
    },
    synced,
    async close() {
      await changes.return?.();
      await running;
    },
  };
}
