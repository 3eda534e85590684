import { systemClock, type ClockTimer } from '../../clock/clock.js';
import { createBatcher } from '../batching/batcher.js';
import type { EventStore, ListPage, ListQuery } from '../contract/event-store.js';
import { storeError, type StoreError } from '../contract/errors.js';
import { createPagedFeeds } from '../feeds/paged-feed.js';
import type { EventRecord } from '../contract/record.js';
import { createEventStore } from '../shell/create-event-store.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import type { EngineQuery } from './engine.js';
import { checkSqliteStoreOptions, engineOptions, type SqliteStoreOptions } from './options.js';
import { READ_ANSWER, READS, type ReadOperation, type ReadResult } from './protocol.js';
import { changeOf, decoded, keyBytes, keyOf, recordOf } from './records.js';
import { createWorkerHost, type EngineHost } from './worker-host.js';
import { createWrites } from './writes.js';

/** What one message of reads may ask for, and how many are under way at once. */
const READS_AT_ONCE = 64;
const READ_MESSAGES = 4;
/** Events that the lists of one message may have in all: a millisecond or two of the thread, which others wait for. */
const LISTED_AT_ONCE = 128;
/** How much one call of `expire` removes in one transaction. */
const EXPIRE_SLICE = 500;
/** How much history one step forgets, and how long others work between two steps. */
const FORGET_SLICE = 256;
const FORGET_PAUSE_MS = 20;
/** When a store that is only read looks for history that is due, after it was opened. */
const FIRST_FORGET_MS = 1000;

const encoder = new TextEncoder();

function engineQuery({ namespace, terms = [], at, after, limit, order }: ListQuery): EngineQuery {
  return {
    namespace: namespace === undefined ? undefined : encoder.encode(namespace),
    terms,
    at,
    after: after === undefined ? undefined : { key: keyBytes(after), revision: after.revision },
    limit,
    newestFirst: order === 'newest-first',
  };
}

/** The store over an engine that answers messages. `options` were checked. */
export function createSqliteStore(options: SqliteStoreOptions, host: EngineHost): EventStore {
  const { path, name = 'sqlite', clock = systemClock, maxEventBytes = 3_145_728 } = options;
  let stopped = false;
  let timer: ClockTimer | undefined;
  /** When it fires, on the monotonic clock. */
  let forgettingAt = clock.monotonic() + FIRST_FORGET_MS;

  // The time of history goes on by the monotonic clock: a wall clock that jumps neither ends history nor keeps it.
  const wallAtStart = clock.now();
  const startedAt = clock.monotonic();
  const historyNow = (): number => wallAtStart + (clock.monotonic() - startedAt) * 1000;

  const writes = createWrites({
    host,
    now: historyNow,
    path,
    hasReaders: () => feeds.readers > 0,
    onWritten(changes, nextDue) {
      planForgetting(nextDue);
      const known = feeds.readers > 0 ? changes() : undefined;
      if (known === undefined || known.length === 0) feeds.wake();
      else feeds.offer(known);
    },
  });
  const answers = async (operations: readonly ReadOperation[]): Promise<readonly (ReadResult | StoreError)[]> =>
    READ_ANSWER.unpack(await host.send('read', READS.pack(operations)));
  const reads = createBatcher<ReadOperation, ReadResult>({
    maxItems: READS_AT_ONCE,
    concurrency: READ_MESSAGES,
    run: answers,
  });
  // One message at a time, in a queue of its own: the thread answers in the order of its messages, and whoever asks for one
  // event should not wait for all the lists that were asked for before.
  const lists = createBatcher<ReadOperation, ReadResult>({
    maxItems: READS_AT_ONCE,
    maxWeight: LISTED_AT_ONCE,
    weigh: (operation) => (operation.kind === 'list' ? operation.query.limit : 1),
    run: answers,
  });

  const read = <Kind extends ReadOperation['kind']>(
    operation: ReadOperation & { readonly kind: Kind },
    signal?: AbortSignal,
  ): Promise<Extract<ReadResult, { kind: Kind }>> => {
    const queue = operation.kind === 'list' ? lists : reads;
    return queue.add(operation, signal) as Promise<Extract<ReadResult, { kind: Kind }>>;
  };
  const feeds = createPagedFeeds({
    async read(after) {
      const { changes } = await read({ kind: 'changes', after });
      return decoded(path, () => changes.map(changeOf));
    },
  });

  const forgetSome = (): void => {
    timer = undefined;
    forgettingAt = Infinity;
    // A failure is met again, and told, by the next write; and that plans the next step.
    writes.forget(FORGET_SLICE).catch(() => undefined);
  };
  const planForgetting = (due: number | undefined): void => {
    if (due === undefined || stopped) return;
    const delayMs = Math.max(FORGET_PAUSE_MS, (due - historyNow()) / 1000);
    const at = clock.monotonic() + delayMs;
    // A disk that is full makes it due earlier.
    if (timer !== undefined && at > forgettingAt - FORGET_PAUSE_MS) return;
    timer?.cancel();
    forgettingAt = at;
    timer = clock.setTimer(forgetSome, delayMs);
  };
  timer = clock.setTimer(forgetSome, FIRST_FORGET_MS);

  return createEventStore({
    name,
    capabilities: { durable: true, shared: false, newestFirst: 'indexed', remaining: false, maxEventBytes },
    // What is written is packed at once.
    copies: true,
    async get(key, call) {
      const { record } = await read({ kind: 'get', key: keyBytes(key) }, call?.signal);
      return record === undefined ? undefined : decoded(path, () => recordOf(record));
    },
    async list(query) {
      const { order, limit, signal } = query;
      const records: EventRecord[] = [];
      // In slices, between which others are answered: all but the first read at the revision of that.
      for (let { at, after } = query; ;) {
        const asked = Math.min(limit - records.length, LISTED_AT_ONCE);
        const { page } = await read(
          { kind: 'list', query: engineQuery({ ...query, at, after, limit: asked }) },
          signal,
        );
        const { revision, next, remaining } = page;
        records.push(...decoded(path, () => page.records.map(recordOf)));
        const result: ListPage = { records, revision, ...(remaining !== undefined && { remaining }) };
        if (next === undefined) return result;
        const position = keyOf(next.key);
        after = order === 'newest-first' ? { ...position, revision: next.revision } : position;
        // A search that looked at many events comes back with fewer than asked for, and ends the page.
        if (page.records.length < asked || records.length === limit) return { ...result, next: after };
        at = revision;
      }
    },
    create: (key, event, { expiresAt, signal }) => writes.put(key, event, { expiresAt, signal }),
    replace: writes.put,
    remove: writes.remove,
    expire: ({ now, limit, signal }) => writes.expire(now, Math.min(limit, EXPIRE_SLICE), signal),
    feed: feeds.open,
    revision: async (call) => (await read({ kind: 'revision' }, call?.signal)).revision,
    ping: async (call) => void (await read({ kind: 'ping' }, call?.signal)),
    stop() {
      stopped = true;
      timer?.cancel();
    },
    async close() {
      const closed = (): StoreError => storeError('closed', `the store ${name} is closed`);
      await Promise.all([writes, reads, lists].map((queue) => queue.close(closed)));
      await host.close();
    },
  });
}

/**
 * A store in an SQLite file: one machine, one process, durable. A write is acknowledged when it is on disk; writes that
 * come at the same time share a commit. The database is worked on in a thread of its own, with node:sqlite, better-sqlite3
 * or libsql, whichever is there. Revisions start from the wall clock in microseconds and rise to it whenever the file is
 * opened. Only one store at a time may have the file open; another fails with `unavailable` until the first is closed.
 *
 * The file is opened in the background: a failure is told by the operations, and a later one tries again.
 *
 * @throws TypeError that lists every unusable option.
 */
export function sqliteStore(options: SqliteStoreOptions): EventStore {
  checkSqliteStoreOptions(options);
  const host = createWorkerHost(engineOptions(options), options.clock ?? systemClock);
  // Only the end of the thread leaves an outcome unknown; the next one can tell.
  return resolveUnknownOutcomes(createSqliteStore(options, host));
}
