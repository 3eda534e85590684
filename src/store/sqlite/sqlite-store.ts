import { systemClock, type Clock, type ClockTimer } from '../../clock/clock.js';
import { checkOptions } from '../../options/check-options.js';
import { createBatcher, type BatcherOptions } from '../batching/batcher.js';
import type { EventStore, ListPage, ListQuery } from '../contract/event-store.js';
import { closed } from '../contract/conditions.js';
import { hasCode } from '../contract/errors.js';
import { keyOfText, keyText } from '../contract/keys.js';
import { createPagedFeeds } from '../feeds/paged-feed.js';
import type { EventRecord } from '../contract/record.js';
import { createEventStore } from '../shell/create-event-store.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import { createFindCreated } from './find-created.js';
import { whileLocked } from './locked.js';
import type { SyncStoreQuery } from './sync-store.js';
import { plainOptions, rules, type SqliteStoreOptions } from './options.js';
import {
  errorOf,
  isLocked,
  type ReadArguments,
  type ReadKind,
  type ReadOperation,
  type ReadValue,
  type Responses,
} from './protocol.js';
import { changeOf, decoded, recordOf } from './records.js';
import { createWorkerHost, type WorkerHost } from './worker-host.js';
import { createWrites } from './writes.js';

/** The most reads of one message, and the most messages of reads under way. */
const READS_AT_ONCE = 64;
const READ_MESSAGES = 4;
/** The most events of all lists of one message: a millisecond or two of the thread, which other operations wait for. */
const LISTED_AT_ONCE = 128;
/** The most events that one call of `expire` removes, in one transaction. */
const EXPIRE_SLICE = 500;
/** The most history that one step prunes, and the pause for other operations between two steps. */
const PRUNE_SLICE = 256;
const PRUNE_PAUSE_MS = 20;
/** The part of the caller's time after which `ping` reports a lock. */
const PING_PATIENCE = 0.8;
/** How long after its creation a store that is only read checks for history that is due. */
const FIRST_PRUNE_MS = 1000;

function syncStoreQuery({ namespace, terms = [], at, after, limit, order }: ListQuery): SyncStoreQuery {
  return {
    namespace,
    terms: terms.map(({ field, value }) => ({ field, value })),
    at,
    after: after === undefined ? undefined : { key: keyText(after), revision: after.revision },
    limit,
    newestFirst: order === 'newest-first',
  };
}

export function createSqliteStore(options: SqliteStoreOptions, host: WorkerHost): EventStore {
  const { path, name = 'sqlite', clock = systemClock, maxEventBytes = 3_145_728 } = options;
  let stopped = false;
  let timer: ClockTimer | undefined;
  /** When it fires, on the monotonic clock; Infinity: not at all. */
  let pruningAt = Infinity;

  // History's time follows the monotonic clock: a wall clock that jumps neither ends history nor keeps it.
  const wallAtStart = clock.now();
  const startedAt = clock.monotonic();
  const historyNow = (): number => wallAtStart + (clock.monotonic() - startedAt) * 1000;

  const writes = createWrites({
    host,
    clock,
    now: historyNow,
    path,
    hasReaders: () => feeds.readers > 0,
    onWritten(changes, nextDue) {
      planPruning(nextDue);
      if (changes === undefined || changes.length === 0) feeds.wake();
      else feeds.offer(changes);
    },
  });
  const batching: BatcherOptions<ReadOperation, ReadValue<ReadKind>> = {
    maxItems: READS_AT_ONCE,
    async run(operations) {
      const results = await host.send('read', operations);
      return results.map((result) => (result.kind === 'failure' ? errorOf(result) : result.value));
    },
  };
  const reads = createBatcher({ ...batching, concurrency: READ_MESSAGES });
  // One message at a time, in its own queue: the thread handles messages in order, and a read of one event should not
  // wait for all lists requested before.
  const lists = createBatcher({
    ...batching,
    maxWeight: LISTED_AT_ONCE,
    weigh(operation) {
      if (operation.kind !== 'list') return 1;
      const { limit, terms, at } = operation.given;
      // A search, and a list of the past, examine more events than they return.
      return terms.length > 0 || at !== undefined ? LISTED_AT_ONCE : limit;
    },
  });

  const read = <Kind extends ReadKind>(
    kind: Kind,
    given: ReadArguments<Kind>,
    signal?: AbortSignal,
  ): Promise<ReadValue<Kind>> => {
    const queue = kind === 'list' ? lists : reads;
    return queue.add({ kind, given } as ReadOperation, signal) as Promise<ReadValue<Kind>>;
  };
  const feeds = createPagedFeeds({
    async read(after) {
      const changes = await read('changes', after);
      return decoded(path, () => changes.map(changeOf));
    },
  });

  const pruneAfter = (delayMs: number): void => {
    timer?.cancel();
    pruningAt = clock.monotonic() + delayMs;
    timer = clock.setTimer(() => {
      pruningAt = Infinity;
      // The next write fails for the same reason, and plans the next step.
      writes.prune(PRUNE_SLICE).catch(() => undefined);
    }, delayMs);
  };
  const planPruning = (due: number | undefined): void => {
    if (due === undefined || stopped) return;
    const delayMs = Math.max(PRUNE_PAUSE_MS, (due - historyNow()) / 1000);
    // A full disk makes it due earlier.
    if (clock.monotonic() + delayMs <= pruningAt - PRUNE_PAUSE_MS) pruneAfter(delayMs);
  };
  pruneAfter(FIRST_PRUNE_MS);

  return createEventStore({
    name,
    capabilities: { durable: true, shared: false, newestFirst: true, remaining: false, maxEventBytes },
    // Events are copied before the call returns.
    copies: true,
    async get(key, call) {
      const record = await read('get', keyText(key), call?.signal);
      return record && decoded(path, () => recordOf(record));
    },
    async list(query) {
      const { order, limit, signal } = query;
      const records: EventRecord[] = [];
      let short: ListPage | undefined;
      // In slices, between which other calls are handled. All are read at the revision of the first.
      for (let { at, after } = query; ;) {
        const asked = Math.min(limit - records.length, LISTED_AT_ONCE);
        let page;
        try {
          page = await read('list', syncStoreQuery({ ...query, at, after, limit: asked }), signal);
        } catch (error) {
          // History that is short may have been pruned since the first slice.
          if (short === undefined || !hasCode(error, 'expired')) throw error;
          return short;
        }
        const { revision, next, remaining } = page;
        records.push(...decoded(path, () => page.records.map(recordOf)));
        const result: ListPage = { records, revision, ...(remaining !== undefined && { remaining }) };
        if (next === undefined) return result;
        const position = keyOfText(next.key);
        after = order === 'newest-first' ? { ...position, revision: next.revision } : position;
        // A search that examined many events returns fewer than requested, which ends the page.
        if (page.records.length < asked || records.length === limit) return { ...result, next: after };
        at = revision;
        short = { ...result, next: after };
      }
    },
    create: (key, event, { expiresAt, signal }) => writes.put(key, event, { expiresAt, signal }),
    replace: writes.put,
    remove: writes.remove,
    expire: ({ now, limit, signal }) => writes.expire(now, Math.min(limit, EXPIRE_SLICE), signal),
    feed: feeds.open,
    revision: (call) => read('revision', undefined, call?.signal),
    async ping({ withinMs, signal } = {}) {
      const send = (): Promise<Responses['read']> => host.send('read', [{ kind: 'ping', given: undefined }]);
      const forMs = withinMs && withinMs * PING_PATIENCE;
      const [result] = await whileLocked(send, (results) => results.every(isLocked), { clock, forMs, signal });
      if (result?.kind === 'failure') throw errorOf(result);
    },
    stop() {
      stopped = true;
      timer?.cancel();
    },
    async close() {
      await Promise.all([writes, reads, lists].map((queue) => queue.close(() => closed(name))));
      await host.close();
    },
  });
}

/** The end of the thread or of a disk leaves outcomes unknown, and a repetition can find them out. */
export function createResolvingStore(options: SqliteStoreOptions, host: WorkerHost, clock?: Clock): EventStore {
  const findCreated = createFindCreated(host, options.path);
  return resolveUnknownOutcomes(createSqliteStore(options, host), { clock, findCreated });
}

/**
 * A store in an SQLite file: one machine, one process, durable. A write is acknowledged when it is on disk; writes that
 * come at the same time share a commit. The database is accessed in a thread of its own, with node:sqlite,
 * better-sqlite3 or libsql, whichever is available. Revisions start from the wall clock in microseconds and rise to it
 * whenever the file is opened. Only one store at a time may have the file open; another fails with `unavailable` until
 * the first is closed.
 *
 * The file is opened in the background: operations report a failure, and a later one tries again.
 *
 * @throws TypeError that lists every unusable option.
 */
export function sqliteStore(options: SqliteStoreOptions): EventStore {
  checkOptions('sqliteStore', options, rules());
  return createResolvingStore(options, createWorkerHost(plainOptions(options), options.clock ?? systemClock));
}
