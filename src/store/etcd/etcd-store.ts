import type { Change, CreateEvent, EventStore, Revision, StoreCall, StoreCapabilities } from '../contract.js';
import { isStoreError, storeError } from '../errors.js';
import type { ParkedIterator } from '../parked-iterator.js';
import type { EventRecord } from '../record.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import { untilAborted } from '../until-aborted.js';
import type { Budget } from './client.js';
import { createCompaction, type Compaction } from './compaction.js';
import { createClusterClock } from './cluster-clock.js';
import { expireDue } from './expire.js';
import { createFence } from './fence.js';
import { openFeed } from './feed.js';
import { gatewayConnect } from './gateway-connection.js';
import { grpcConnect } from './grpc-connection.js';
import { createKnownExpiries } from './known-expiries.js';
import { createLayout } from './layout.js';
import { createOpening, type Opened } from './opening.js';
import { etcdSettings, type EtcdStoreOptions } from './options.js';
import { createQuietSpan } from './quiet-span.js';
import { readList } from './read-list.js';
import { createOne, readOne, removeOne, replaceOne, type WriteContext } from './write.js';

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
  const fence = createFence({ layout, clock, changes: (options) => reads.changes(options) });
  const feeds = new Set<ParkedIterator<readonly Change[]>>();
  const underWay = new Set<Promise<unknown>>();
  const connect = settings.transport === 'grpc' ? grpcConnect(settings) : gatewayConnect(settings);
  const opening = createOpening(settings, layout, connect);
  const time = createClusterClock(settings);
  let compaction: Compaction | undefined;
  let closing: Promise<void> | undefined;

  const closedError = (): Error => storeError('closed', `the store ${name} is closed`);

  if (settings.compactHistory) {
    const start = ({ client }: Opened): void => {
      if (closing === undefined) compaction ??= createCompaction(client, layout, settings);
    };
    // Where opening fails, the first operation that succeeds starts it.
    opening.ready().then(start, () => undefined);
  }

  const ready = async (signal: AbortSignal | undefined): Promise<Opened> => {
    signal?.throwIfAborted();
    const opened = await opening.ready(signal);
    if (settings.compactHistory && closing === undefined) {
      compaction ??= createCompaction(opened.client, layout, settings);
    }
    return opened;
  };

  /** An operation: refused when closed, and waited for by `close()`. */
  const operation = async <T>(call: StoreCall | undefined, run: (opened: Opened) => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw closedError();
    const running = ready(call?.signal).then(run);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };

  const contextOf = ({ client }: Opened): WriteContext => ({ client, layout, known, fence });

  const checkExpiry = (expiresAt: number): void => {
    if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) {
      throw new TypeError('expiresAt: give microseconds since the epoch');
    }
  };
  const checkSize = (size: number): void => {
    if (size <= maxEventBytes) return;
    throw storeError('too-large', `the event has ${size} bytes, at most ${maxEventBytes} are kept`);
  };

  const latest = async ({ client }: Opened, budget: Budget): Promise<Revision> =>
    (await client.range({ key: layout.storeKey, keysOnly: true }, budget)).revision;

  const capabilities = Object.freeze<StoreCapabilities>({
    durable: true,
    shared: true,
    newestFirst: 'scan',
    remaining: true,
    maxEventBytes,
  });

  const reads: Omit<EventStore, 'create' | 'replace' | 'remove'> = {
    name,
    capabilities,
    get: (key, call) =>
      operation(call, (opened) => readOne(contextOf(opened), key, opened.client.budget(call?.signal))),
    async list(query) {
      const { limit, at } = query;
      if (!(Number.isSafeInteger(limit) && limit >= 1)) throw new TypeError('list: give a limit of at least 1');
      return operation(query, async (opened) => {
        const { client } = opened;
        const begin = opened.begin();
        if (at !== undefined && at < begin) {
          throw storeError('expired', `the store began at ${begin}`, { current: begin });
        }
        const budget = client.budget(query.signal);
        try {
          return await readList({ client, layout, budget }, query);
        } catch (error) {
          if (!isStoreError(error) || error.code !== 'future-revision') throw error;
          const current = await latest(opened, budget);
          throw storeError('future-revision', `${at} lies ahead, the latest is ${current}`, { current });
        }
      });
    },
    expire: (call) =>
      operation(call, async (opened) => {
        const now = Math.min(call.now, await untilAborted(time.recent(), call.signal));
        return expireDue(contextOf(opened), now, call.limit, () => opened.client.budget(call.signal));
      }),
    now: (call) => operation(call, () => untilAborted(time.now(), call?.signal)),
    changes(call) {
      return {
        [Symbol.asyncIterator]() {
          if (closing !== undefined) return { next: () => Promise.reject(closedError()) };
          const feed = openFeed({ settings, layout, quiet, open: ready }, call, (ended) => feeds.delete(ended));
          if (call.signal?.aborted !== true) feeds.add(feed);
          return feed;
        },
      };
    },
    revision: (call) => operation(call, (opened) => latest(opened, opened.client.budget(call?.signal))),
    ping: (call) =>
      operation(call, async ({ client }) => {
        // A write that never happens: no key has fewer than no versions. It takes the way of every other write, through
        // the leader, a majority, the permissions and the space quota.
        const { storeKey: key, storeValue: value } = layout;
        await client
          .txn(
            {
              compare: [{ key, target: 'version', result: 'less', value: 0 }],
              success: [{ type: 'put', key, value }],
              failure: [],
            },
            client.budget(call?.signal),
          )
          .catch((error: unknown) => {
            if (!isStoreError(error) || error.code !== 'unknown-outcome') throw error;
            throw storeError('unavailable', error.message, { cause: error });
          });
      }),
    async close() {
      closing ??= (async () => {
        for (const feed of [...feeds]) feed.end();
        compaction?.close();
        while (underWay.size > 0) await Promise.allSettled([...underWay]);
        opening.close();
      })();
      await closing;
    },
  };

  /** What it loses on its way it settles itself. */
  const create: CreateEvent = async (key, event, { expiresAt, signal }) => {
    checkExpiry(expiresAt);
    checkSize(event.bytes.length);
    const place = { ...key };
    const kept = structuredClone(event);
    return operation({ signal }, (opened) =>
      createOne(contextOf(opened), place, kept, expiresAt, opened.client.budget(signal)),
    );
  };

  /** The store as one call sees it: repetitions of its write share one budget. */
  const within = (call: StoreCall | undefined): EventStore => {
    let budget: Budget | undefined;
    const write = <T>(run: (context: WriteContext, budget: Budget) => Promise<T>): Promise<T> =>
      operation(call, (opened) => {
        budget ??= opened.client.budget(call?.signal);
        return run(contextOf(opened), budget);
      });
    return resolveUnknownOutcomes({
      ...reads,
      create,
      replace: (key, event, more) => write((context, left) => replaceOne(context, key, event, more, left)),
      remove: (key, more) => write((context, left) => removeOne(context, key, more?.expected as Revision, left)),
    });
  };

  return Object.freeze<EventStore>({
    ...reads,
    create,
    async replace(key, event, call) {
      checkExpiry(call.expiresAt);
      checkSize(event.bytes.length);
      return within(call).replace({ ...key }, structuredClone(event), call);
    },
    async remove(key, call) {
      if (call?.expected !== undefined) return within(call).remove({ ...key }, call);
      const end = clock.monotonic() + settings.operationTimeoutMs;
      for (;;) {
        const record: EventRecord | undefined = await reads.get(key, call);
        if (record === undefined) throw storeError('not-found', `${key.namespace}/${key.name} does not exist`);
        try {
          return await within(call).remove(record.key, { signal: call?.signal, expected: record.revision });
        } catch (error) {
          // Somebody replaced it in between, and made progress.
          if (!isStoreError(error) || error.code !== 'conflict' || clock.monotonic() >= end) throw error;
        }
      }
    },
  });
}
