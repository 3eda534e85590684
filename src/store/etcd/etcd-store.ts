import type { EventStore, RemoveOptions, Revision, StoreCall } from '../contract/event-store.js';
import { notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { isStoreError, storeError } from '../contract/errors.js';
import type { EventKey, EventRecord } from '../contract/record.js';
import { createEventStore } from '../shell/create-event-store.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import type { Budget } from './budget.js';
import { createEtcdClient } from './client.js';
import { createClusterClock } from './cluster-clock.js';
import { startCompaction } from './compaction.js';
import { put, type Compare } from './connection.js';
import { expireDue } from './expire.js';
import { createFence } from './fence.js';
import { openFeed } from './feed.js';
import { gatewayConnect } from './gateway-connection.js';
import { grpcConnect } from './grpc-connection.js';
import { createLayout } from './layout.js';
import { createLiftedClient, type LiftedClient } from './lifted-client.js';
import { openStore } from './opening.js';
import { etcdSettings, type EtcdStoreOptions } from './options.js';
import { createQuietSpan } from './quiet-span.js';
import { readList } from './read-list.js';
import { createKnownExpiries, createOne, readOne, removeOne, replaceOne, type WriteDependencies } from './write.js';

/** How long the failure of an opening is the answer, before it is tried again. */
const REOPEN_MS = 200;

/**
 * A store in etcd, for any number of replicas: each event is one key, `<prefix>/<namespace>/<name>`, and its revision is
 * etcd's. Opening goes on in the background; until it has succeeded operations wait, and fail with `unavailable` when it
 * fails. A write that got lost is repeated: it is conditional, so that it happens once.
 *
 * Compaction is left to the operators of etcd, unless `compactHistory` is on. History should reach back for ten minutes.
 *
 * @throws TypeError that lists every unusable option.
 */
export function etcdStore(options: EtcdStoreOptions): EventStore {
  const settings = etcdSettings(options);
  const { clock, name, maxEventBytes } = settings;
  const layout = createLayout(settings.prefix);
  const known = createKnownExpiries();
  const quiet = createQuietSpan();
  const fence = createFence({ layout, clock, changes: (from) => store.changes(from) });
  const connect = settings.transport === 'grpc' ? grpcConnect(settings) : gatewayConnect(settings);
  const time = createClusterClock(settings);
  /** Made once, with the first attempt to open. */
  let made: LiftedClient | undefined;
  let created: Revision = 0;
  let endCompaction: (() => void) | undefined;
  let stopped = false;

  /** Operations come when the store is open. */
  const client = (): LiftedClient => made as LiftedClient;
  /** The revision at which the store began: before it there is nothing to read. */
  const begin = (): Revision => Math.max(created, client().floor());
  const budgetOf = (call: StoreCall | undefined): Budget => client().budget(call?.signal);
  const context = (): WriteDependencies => ({ client: client(), layout, known, fence });
  const latest = async (budget: Budget): Promise<Revision> =>
    (await client().range({ key: layout.storeKey, keysOnly: true }, budget)).revision;

  /** The store as one write sees it: its repetitions and the search for its outcome have one budget together. */
  const within = (budget: Budget): EventStore => {
    const writes = {
      ...store,
      replace: (key, event, more) => replaceOne(context(), key, event, more, budget),
      remove: (key, more) => removeOne(context(), key, more?.expected as Revision, budget),
    } satisfies EventStore;
    return resolveUnknownOutcomes(writes, { clock, withinMs: Math.max(0, budget.end - clock.monotonic()) });
  };

  const remove = async (key: EventKey, call: RemoveOptions): Promise<EventRecord> => {
    const budget = budgetOf(call);
    if (call.expected !== undefined) return within(budget).remove(key, call);
    for (;;) {
      const record = await readOne(context(), key, budget);
      if (record === undefined) throw notFound(keyText(key));
      try {
        return await within({ ...budget }).remove(key, { signal: call.signal, expected: record.revision });
      } catch (error) {
        // Somebody replaced it in between, and made progress.
        if (!isStoreError(error) || error.code !== 'conflict') throw error;
      }
    }
  };

  const store = createEventStore({
    name,
    capabilities: { durable: true, shared: true, newestFirst: 'scan', remaining: true, maxEventBytes },
    reopening: { clock, firstMs: REOPEN_MS, longestMs: REOPEN_MS },
    async open() {
      made ??= createLiftedClient(createEtcdClient(await connect(), settings), layout, clock);
      if (stopped) made.close();
      created = await openStore(made, layout, settings);
      if (settings.compactHistory && !stopped) endCompaction = startCompaction(made, layout, settings);
    },
    get: (key, call) => readOne(context(), key, budgetOf(call)),
    async list(query) {
      const { at } = query;
      const first = begin();
      if (at !== undefined && at < first) {
        throw storeError('expired', `the store began at ${first}`, { current: first });
      }
      const budget = budgetOf(query);
      try {
        return await readList({ client: client(), layout, budget }, query);
      } catch (error) {
        if (!isStoreError(error) || error.code !== 'future-revision') throw error;
        const current = await latest(budget);
        throw storeError('future-revision', `${at} lies ahead, the latest is ${current}`, { current });
      }
    },
    // A create that was lost is resolved by itself.
    create: (key, event, { expiresAt, signal }) => createOne(context(), key, event, expiresAt, budgetOf({ signal })),
    replace: (key, event, call) => within(budgetOf(call)).replace(key, event, call),
    remove,
    async expire(call) {
      const now = Math.min(call.now, await time.recent());
      call.signal?.throwIfAborted();
      return expireDue(context(), now, call.limit, () => budgetOf(call));
    },
    now: () => time.now(),
    feed: (options) => openFeed({ settings, layout, quiet, client: client(), begin }, options),
    revision: (call) => latest(budgetOf(call)),
    async ping(call) {
      // A write that never happens: no key has fewer than no versions. It takes the way of every other write, through
      // the leader, a majority, the permissions and the space quota.
      const { storeKey: key, storeValue: value } = layout;
      const never: Compare = { key, target: 'version', result: 'less', value: 0 };
      await client()
        .txn({ compare: [never], success: [put(key, value)] }, budgetOf(call))
        .catch((error: unknown) => {
          if (!isStoreError(error) || error.code !== 'unknown-outcome') throw error;
          throw storeError('unavailable', error.message, { cause: error });
        });
    },
    requestProgress() {
      // The key is watched by the feeds of all replicas, whatever else happens in the cluster. A lost one is asked for again.
      if (made !== undefined && !stopped) {
        made.txn({ success: [put(layout.tickKey)] }, budgetOf(undefined)).catch(() => undefined);
      }
    },
    stop() {
      stopped = true;
      endCompaction?.();
    },
    close: () => made?.close(),
  });
  return store;
}
