import { systemClock } from '../../clock/clock.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import { createNotifier } from '../../observe/observation.js';
import type { EventStore, ListPage, ListQuery } from '../contract/event-store.js';
import { hasCode } from '../contract/errors.js';
import { LATER, type ReadHints } from '../contract/read-hints.js';
import type { EventRecord } from '../contract/record.js';
import { createBounds } from '../memory/bounds.js';
import { isJsonQuery } from '../memory/lists/read-json.js';
import type { Replica } from '../memory/replica.js';
import { createEventStore } from '../shell/create-event-store.js';
import type { Awaitable } from '../shell/store-engine.js';
import { createCacheActivity } from './cache-activity.js';
import { openCachedFeed } from './cached-feed.js';
import { createFreshness } from './freshness.js';
import { checkCachedStoreOptions, type CachedStoreOptions } from './options.js';
import type { CachedStore, CacheState, CacheStatus } from './status.js';
import { createWatchCache } from './watch-cache.js';

/** Whether the hints of a read accept the state of the cache, even if there are newer writes. */
function isContent({ mayBeStale, notOlderThan }: ReadHints, replica: Replica): boolean {
  return mayBeStale === true || (notOlderThan ?? Infinity) <= replica.revision();
}

function reaches(replica: Replica, { at }: ListQuery): boolean {
  return at === undefined || (at >= replica.floor() && at <= replica.revision());
}

/**
 * Puts a watch cache in front of a store, like the one of kube-apiserver in front of etcd: the current state and the
 * history window are held in memory, filled by one list, updated by the store's feed, and serve get, lists and feeds.
 * Writes, expiry, `ping` and `now` go to the store. So does every read while the cache is being filled or the events do
 * not fit into `maxBytes`, and every read of history that the cache does not have.
 *
 * **Reads stay linearizable**: each read shows every write that was acknowledged before it began. Where one process
 * owns the store (`capabilities.shared` is false), reads wait for the writes of this process. Where the store is
 * shared, its latest revision is requested, once for all reads that wait together, and the reads wait until the cache
 * has it. A read that waits longer than `freshnessTimeoutMs` goes to the store. Reads with `mayBeStale` request no
 * revision and do not wait.
 *
 * The cache owns the store from then on: use the store only through the cache, whose `close()` closes the store.
 *
 * @throws TypeError that lists every unusable option.
 */
export function cachedStore(store: EventStore, options: CachedStoreOptions = {}): CachedStore {
  checkCachedStoreOptions(store, options);
  const { clock = systemClock, freshnessTimeoutMs = 3_000, whenAway = 'fail' } = options;
  const { historyMs, historyMaxBytes, listCacheMaxBytes, maxBytes } = options;
  const limits = { historyMs, historyMaxBytes, listCacheMaxBytes, maxBytes };
  const notify = createNotifier(options.observe);
  let state: CacheState = 'filling';
  let closing: Promise<void> | undefined;

  const size = (): Pick<CacheStatus, 'events' | 'bytes'> => cache.contents?.size() ?? { events: 0, bytes: 0 };
  const status = (): CacheStatus => {
    const { contents } = cache;
    const span = contents === undefined ? {} : { revision: contents.revision(), floor: contents.floor() };
    return { state, ...span, ...size(), lagMs: freshness.lagMs() };
  };
  const activity = createCacheActivity(store.name, clock, notify, status);
  const turn = (next: Exclude<CacheState, 'closed'>, error?: unknown): void => {
    if (state === 'closed') return;
    state = next;
    notify({ type: 'cache.changed', store: store.name, state: next, ...size(), ...(error !== undefined && { error }) });
  };
  const cache = createWatchCache({
    store,
    clock,
    limits,
    bounds: createBounds(limits),
    readyWithinMs: freshnessTimeoutMs,
    failures: createFailureSeries(`watch cache of ${store.name}`, notify, clock),
    onState: turn,
    onChanges: activity.received,
  });
  /** Ends the state `stale`: the store has responded. */
  const isBack = (): void => {
    if (state === 'stale') turn('ready');
  };
  const freshness = createFreshness(store, cache, clock, freshnessTimeoutMs, isBack);

  cache.subscribe(() => {
    if (state === 'stale') freshness.probe();
  });

  /** The replica, if reads may use it while the store is unavailable. */
  const staleFor = (error: unknown): Replica | undefined => {
    const { replica } = cache;
    if (whenAway === 'fail' || replica === undefined || !hasCode(error, 'unavailable')) return undefined;
    if (state !== 'stale') turn('stale', error);
    return replica;
  };

  const replicaNow = (hints: ReadHints | undefined): Replica | undefined => {
    const { replica } = cache;
    if (replica === undefined) return undefined;
    if (freshness.isCurrent() || (hints !== undefined && isContent(hints, replica))) return replica;
    if (state === 'stale') {
      // Reads do not wait for it.
      freshness.probe();
      return replica;
    }
    return undefined;
  };

  const whenFresh = <T>(fromCache: (replica: Replica) => Awaitable<T>, through: () => Promise<T>): Promise<T> =>
    activity.waited(async () => {
      try {
        const isFresh = await freshness.wait();
        const { replica } = cache;
        if (!isFresh || replica === undefined) return [await through(), 'store'];
        isBack();
        return [await fromCache(replica), 'cache'];
      } catch (error) {
        const replica = staleFor(error);
        if (replica === undefined) throw error;
        return [await fromCache(replica), 'cache'];
      }
    });

  const listThrough = async (query: ListQuery): Promise<ListPage> => {
    const page = await store.list(query);
    isBack();
    freshness.saw(page.revision);
    return page;
  };

  /** A list may take several turns of the event loop, in which the cache may drop the revision. */
  const listFrom = (query: ListQuery, replica: Replica): Awaitable<ListPage> => {
    if (!reaches(replica, query)) return listThrough(query);
    const page = replica.list(query);
    if (!('then' in page)) return page;
    return page.catch((error: unknown) => {
      if (hasCode(error, 'expired')) return listThrough(query);
      throw error;
    });
  };

  /** The replica that can serve a list at once. A past revision is immutable, so later writes do not matter. */
  const replicaFor = (query: ListQuery): Replica | undefined => {
    const { replica } = cache;
    if (query.at === undefined || replica === undefined) return replicaNow(query);
    return reaches(replica, query) && freshness.hasKnown() ? replica : undefined;
  };

  /** True when a list may wait for the cache: it is filled, and its history may reach back to the revision. */
  const mayWait = ({ at }: ListQuery): boolean => {
    const floor = cache.replica?.floor();
    return floor !== undefined && (at === undefined || at >= floor);
  };

  const outcomeUnknown = (error: unknown): never => {
    freshness.markUnknown();
    // The store has compared the condition of the write with its state.
    if (hasCode(error, 'exists', 'not-found', 'conflict')) isBack();
    throw error;
  };
  /** A write returns its revision; a failed one may have changed something at an unknown revision. */
  const written = (work: Promise<EventRecord>): Promise<EventRecord> =>
    work.then((record) => {
      isBack();
      freshness.saw(record.revision);
      return record;
    }, outcomeUnknown);

  const inner = createEventStore({
    name: store.name,
    capabilities: store.capabilities,
    copies: true,
    get(key, call) {
      const replica = replicaNow(call);
      if (replica !== undefined) return replica.get(key);
      const through = async (): Promise<EventRecord | undefined> => {
        const record = await store.get(key, call);
        isBack();
        if (record === undefined) freshness.markUnknown();
        else freshness.saw(record.revision);
        return record;
      };
      return cache.replica === undefined ? through() : whenFresh((fresh) => fresh.get(key), through);
    },
    list(query) {
      const replica = replicaFor(query);
      if (replica !== undefined) return listFrom(query, replica);
      const through = (): Promise<ListPage> => listThrough(query);
      return mayWait(query) ? whenFresh((fresh) => listFrom(query, fresh), through) : through();
    },
    getSync(key, call) {
      const replica = replicaNow(call);
      return replica === undefined ? LATER : replica.get(key);
    },
    json(query) {
      const replica = replicaFor(query);
      if (replica !== undefined) return replica.json(query);
      // Lists read from the store have no JSON.
      if (!mayWait(query) || !isJsonQuery(query)) return undefined;
      return whenFresh(
        (fresh) => (reaches(fresh, query) ? fresh.json(query) : undefined),
        async () => undefined,
      );
    },
    create: (key, event, call) => written(store.create(key, event, call)),
    replace: (key, event, call) => written(store.replace(key, event, call)),
    remove: (key, call) => written(store.remove(key, call)),
    expire: (call) =>
      store.expire(call).then((removed) => {
        isBack();
        if (removed > 0) freshness.markUnknown();
        return removed;
      }, outcomeUnknown),
    feed: (feed) => openCachedFeed({ ...feed, store, cache, saw: freshness.saw }),
    async revision(call) {
      const replica = replicaNow(call);
      if (replica !== undefined) return replica.revision();
      const revision = await store.revision(call);
      freshness.saw(revision);
      return revision;
    },
    ping: (call) => store.ping(call),
    ...(store.now && { now: store.now.bind(store) }),
    ...(store.requestProgress && { requestProgress: store.requestProgress.bind(store) }),
    stop() {
      state = 'closed';
      cache.close();
      activity.close();
      freshness.close();
      // Closing the store ends the calls that wait for it.
      closing = store.close();
      closing.catch(() => undefined);
    },
    close: () => closing,
  });

  return Object.freeze({ ...inner, status });
}
