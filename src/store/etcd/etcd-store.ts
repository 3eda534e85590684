import { jsonValue } from '../../json/json-value.js';
import { createNotifier } from '../../observe/observation.js';
import type { EventStore, RemoveOptions, Revision, StoreCall } from '../contract/event-store.js';
import { expired, futureRevision, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { hasCode, storeError } from '../contract/errors.js';
import type { EventKey, EventRecord } from '../contract/record.js';
import { withPatientPing } from '../shell/patient-ping.js';
import { createEventStore } from '../shell/create-event-store.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import type { CallContext } from './call-context.js';
import { createEtcdClient, unlessLost, type EtcdClient } from './client.js';
import { createClusterClock } from './cluster-clock.js';
import { startCompaction } from './compaction.js';
import { put, type KeyValue } from './connection.js';
import { expireDue } from './expire.js';
import { createFence } from './fence.js';
import { createIdleSpan, openFeed } from './feed.js';
import { gatewayConnect } from './gateway-connection.js';
import { grpcConnect } from './grpc-connection.js';
import { createLayout, FORMAT, type Layout } from './layout.js';
import { createLiftedClient, type LiftedClient } from './lifted-client.js';
import { etcdSettings, type EtcdSettings, type EtcdStoreOptions } from './options.js';
import { readList } from './read-list.js';
import { createWrites } from './writes.js';

/** How long calls fail with the error of a failed opening before it is tried again, in milliseconds. */
const REOPEN_MS = 200;

function checkFormat({ value }: KeyValue, { prefix }: EtcdSettings): void {
  const { format } = (jsonValue(new TextDecoder().decode(value)) ?? {}) as { readonly format?: unknown };
  if (format === FORMAT) return;
  throw storeError(
    'unavailable',
    typeof format === 'number'
      ? `${prefix} was written by a newer version (layout ${format}, this one supports ${FORMAT}): update this package`
      : `${prefix}.store was not written by kube-vitals: choose another prefix, or remove the key`,
  );
}

/** Finds or makes the mark of the store. Returns the revision at which the store began. */
async function openStore(client: EtcdClient, layout: Layout, settings: EtcdSettings): Promise<Revision> {
  const context = client.callContext(undefined);
  for (;;) {
    // Read first: at its space quota etcd refuses every transaction that might write.
    const [kv] = (await client.range({ key: layout.storeKey }, context)).kvs;
    if (kv !== undefined) {
      checkFormat(kv, settings);
      return kv.createRevision;
    }
    // It does not matter which attempt made the mark.
    const made = await unlessLost(client.txn(layout.mark, context));
    if (made?.succeeded === true) return made.revision;
  }
}

/**
 * A store in etcd, for any number of replicas: each event is one key, `<prefix>/<namespace>/<name>`, and its revision
 * is etcd's. The store opens in the background: operations wait until it is open, and fail with `unavailable` if that
 * fails. A write without a response is repeated: it is conditional, so that it takes effect once.
 *
 * Compaction is left to the operators of etcd, unless `compactHistory` is on. History should reach back for ten
 * minutes.
 *
 * @throws TypeError that lists every unusable option.
 */
export function etcdStore(options: EtcdStoreOptions): EventStore {
  const settings = etcdSettings(options);
  const { clock, name, maxEventBytes } = settings;
  const layout = createLayout(settings.prefix);
  const notify = createNotifier(options.observe);
  const idleSpan = createIdleSpan();
  const connect = settings.transport === 'grpc' ? grpcConnect : gatewayConnect;
  const time = createClusterClock(settings);
  /** Made once, with the first attempt to open. */
  let made: { readonly client: LiftedClient; readonly writes: ReturnType<typeof createWrites> } | undefined;
  let created: Revision = 0;
  let endCompaction: (() => void) | undefined;
  let stopped = false;

  const parts = () => made as NonNullable<typeof made>;
  /** The first readable revision. */
  const begin = (): Revision => Math.max(created, parts().client.floor());
  const contextOf = (call: StoreCall | undefined): CallContext => parts().client.callContext(call?.signal);
  const latest = async (context: CallContext): Promise<Revision> =>
    (await parts().client.range({ key: layout.storeKey, keysOnly: true }, context)).revision;

  /** The store for one write: its repetitions and the search for its outcome share one context. */
  const within = (context: CallContext): EventStore => {
    const attempts = {
      ...store,
      replace: (key, event, more) => parts().writes.replace(key, event, more, context),
      remove: (key, more) => parts().writes.remove(key, more?.expected as Revision, context),
    } satisfies EventStore;
    return resolveUnknownOutcomes(attempts, { clock, withinMs: Math.max(0, context.end - clock.monotonic()) });
  };

  const remove = async (key: EventKey, call: RemoveOptions): Promise<EventRecord> => {
    const context = contextOf(call);
    if (call.expected !== undefined) return within(context).remove(key, call);
    for (;;) {
      const record = await parts().writes.get(key, context);
      if (record === undefined) throw notFound(keyText(key));
      try {
        return await within({ ...context }).remove(key, { signal: call.signal, expected: record.revision });
      } catch (error) {
        // It was replaced in between.
        if (!hasCode(error, 'conflict')) throw error;
      }
    }
  };

  const store = createEventStore({
    name,
    capabilities: { durable: true, shared: true, newestFirst: false, remaining: true, maxEventBytes },
    reopening: { clock, firstMs: REOPEN_MS, longestMs: REOPEN_MS },
    async open() {
      if (made === undefined) {
        const client = createLiftedClient(createEtcdClient(await connect(settings), settings), layout, clock);
        const fence = createFence(client, layout, clock, (from) => store.changes(from));
        made = { client, writes: createWrites(client, layout, fence) };
      }
      const { client } = made;
      if (stopped) client.close();
      created = await openStore(client, layout, settings);
      if (settings.compactHistory && !stopped) endCompaction = startCompaction(client, layout, settings, notify);
    },
    get: (key, call) => parts().writes.get(key, contextOf(call)),
    async list(query) {
      const { at } = query;
      const first = begin();
      if (at !== undefined && at < first) throw expired(at, first);
      const context = contextOf(query);
      try {
        return await readList(parts().client, layout, query, context);
      } catch (error) {
        if (at === undefined || !hasCode(error, 'future-revision')) throw error;
        throw futureRevision(at, await latest(context));
      }
    },
    create: (key, event, { expiresAt, signal }) => parts().writes.create(key, event, expiresAt, contextOf({ signal })),
    replace: (key, event, call) => within(contextOf(call)).replace(key, event, call),
    remove,
    async expire(call) {
      const now = Math.min(call.now, await time.recent());
      call.signal?.throwIfAborted();
      return expireDue(parts().client, layout, now, call.limit, () => contextOf(call));
    },
    now: () => time.now(),
    feed: (options) => openFeed({ settings, layout, idleSpan, client: parts().client, begin }, options),
    revision: (call) => latest(contextOf(call)),
    async ping(call) {
      // A write that never happens, on the path of all writes: the leader, a majority, permissions and the space quota.
      // With the client's condition it has three, as many as any write (`--max-txn-ops`).
      const never = { key: layout.storeKey, revision: Number.MAX_SAFE_INTEGER };
      const context = contextOf(call);
      await parts()
        .client.txn({ compare: [never, never], success: layout.mark.success }, context)
        .catch((error: unknown) => {
          if (!hasCode(error, 'unknown-outcome')) throw error;
          // Otherwise an attempt was lost, and a later one has got a response.
          if (context.outcomeUnknown) throw storeError('unavailable', (error as Error).message, { cause: error });
        });
    },
    requestProgress() {
      // The feeds of all replicas watch this key. A lost request is repeated by the caller.
      if (made !== undefined && !stopped) {
        made.client.txn({ success: [put(layout.tickKey)] }, contextOf(undefined)).catch(() => undefined);
      }
    },
    stop() {
      stopped = true;
      endCompaction?.();
    },
    close: () => made?.client.close(),
  });

  return withPatientPing(store, clock, () => made?.client.lastFailure());
}
