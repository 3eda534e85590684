import { systemClock, type ClockTimer } from '../../clock/clock.js';
import { createBatcher } from '../batcher.js';
import type { EventKey, EventStore, ListPage, ListQuery, StoreCall, StoreCapabilities } from '../contract.js';
import { storeError, type StoreError } from '../errors.js';
import { createPagedFeeds } from '../paged-feed.js';
import type { EncodedEvent, EventRecord } from '../record.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import type { EngineQuery } from './engine.js';
import { checkSqliteStoreOptions, engineOptions, type SqliteStoreOptions } from './options.js';
import { packReads, unpackReadAnswer, type ReadOperation, type ReadResult } from './protocol-read.js';
import { changeOf, decoded, keyOf, keyText, recordOf } from './records.js';
import type { KeyBytes } from './stored.js';
import { createWorkerHost, type EngineHost } from './worker-host.js';
import { createWrites } from './writes.js';

/** What one message of reads may ask for, and how many are under way at once. */
const READS = 64;
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

function keyBytes(key: EventKey): KeyBytes {
  return encoder.encode(keyText(key));
}

/** The promise, or the signal's reason if that comes first. What is under way goes on. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function checkListQuery({ limit, order, after }: ListQuery): void {
  if (!(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new TypeError('list: give a limit that is a whole number of at least 1');
  }
  if (order === 'newest-first' && after !== undefined && after.revision === undefined) {
    throw new TypeError('list: newest-first goes on after a position with a revision');
  }
}

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
  const clock = options.clock ?? systemClock;
  const { path, name = 'sqlite' } = options;
  const maxEventBytes = options.maxEventBytes ?? 3_145_728;
  const closedError = (): StoreError => storeError('closed', `the store ${name} is closed`);
  let closing: Promise<void> | undefined;
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
    onWritten(changes, nextDue) {
      planForgetting(nextDue);
      const known = feeds.readers > 0 ? changes() : undefined;
      if (known === undefined || known.length === 0) feeds.wake();
      else feeds.offer(known);
    },
  });
  const answers = async (operations: readonly ReadOperation[]): Promise<readonly (ReadResult | StoreError)[]> =>
    unpackReadAnswer(await host.send('read', packReads(operations)));
  const reads = createBatcher<ReadOperation, ReadResult>({
    maxItems: READS,
    concurrency: READ_MESSAGES,
    run: answers,
  });
  // One message at a time, in a queue of its own: the thread answers in the order of its messages, and whoever asks for one
  // event should not wait for all the lists that were asked for before.
  const lists = createBatcher<ReadOperation, ReadResult>({
    maxItems: READS,
    maxWeight: LISTED_AT_ONCE,
    weigh: (operation) => (operation.kind === 'list' ? operation.query.limit : 1),
    run: answers,
  });

  const begin = (call: StoreCall | undefined): AbortSignal | undefined => {
    if (closing !== undefined) throw closedError();
    call?.signal?.throwIfAborted();
    return call?.signal;
  };
  const read = async <Kind extends ReadOperation['kind']>(
    operation: ReadOperation & { readonly kind: Kind },
    signal?: AbortSignal,
  ): Promise<Extract<ReadResult, { kind: Kind }>> => {
    const queue = operation.kind === 'list' ? lists : reads;
    const result = await orAborted(queue.add(operation, signal), signal);
    return result as Extract<ReadResult, { kind: Kind }>;
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
    if (closing !== undefined) return;
    // A failure is met again, and told, by the next write; and that plans the next step.
    writes.forget(FORGET_SLICE).catch(() => undefined);
  };
  const planForgetting = (due: number | undefined): void => {
    if (due === undefined || closing !== undefined) return;
    const delayMs = Math.max(FORGET_PAUSE_MS, (due - historyNow()) / 1000);
    const at = clock.monotonic() + delayMs;
    // A disk that is full makes it due earlier.
    if (timer !== undefined && at > forgettingAt - FORGET_PAUSE_MS) return;
    timer?.cancel();
    forgettingAt = at;
    timer = clock.setTimer(forgetSome, delayMs);
  };
  timer = clock.setTimer(forgetSome, FIRST_FORGET_MS);

  const put = async (
    key: EventKey,
    event: EncodedEvent,
    call: StoreCall & { readonly expiresAt: number; readonly expected?: number },
  ): Promise<EventRecord> => {
    const signal = begin(call);
    const { expiresAt, expected } = call;
    if (typeof expiresAt !== 'number' || Number.isNaN(expiresAt)) {
      throw new TypeError('expiresAt: give microseconds since the epoch');
    }
    if (event.bytes.length > maxEventBytes) {
      throw storeError('too-large', `the event has ${event.bytes.length} bytes, at most ${maxEventBytes} are kept`);
    }
    return orAborted(writes.put({ key, event, expiresAt, expected }, signal), signal);
  };

  return Object.freeze<EventStore>({
    name,
    capabilities: Object.freeze<StoreCapabilities>({
      durable: true,
      shared: false,
      newestFirst: 'indexed',
      remaining: false,
      maxEventBytes,
    }),
    async get(key, call) {
      const { record } = await read({ kind: 'get', key: keyBytes(key) }, begin(call));
      return record === undefined ? undefined : decoded(path, () => recordOf(record));
    },
    async list(query) {
      const signal = begin(query);
      checkListQuery(query);
      const { order, limit } = query;
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
    create: (key, event, call) => put(key, event, { signal: call.signal, expiresAt: call.expiresAt }),
    async replace(key, event, call) {
      if (!Number.isSafeInteger(call.expected)) throw new TypeError('replace: give the expected revision');
      return put(key, event, call);
    },
    async remove(key, call) {
      const signal = begin(call);
      return orAborted(writes.remove(key, call?.expected, signal), signal);
    },
    async expire(call) {
      const signal = begin(call);
      const limit = Math.min(call.limit, EXPIRE_SLICE);
      return orAborted(writes.expire(call.now, limit, signal), signal);
    },
    changes(call) {
      return {
        [Symbol.asyncIterator]() {
          if (closing === undefined) return feeds.open(call);
          return { next: () => Promise.reject(closedError()) };
        },
      };
    },
    async revision(call) {
      return (await read({ kind: 'revision' }, begin(call))).revision;
    },
    async ping(call) {
      await read({ kind: 'ping' }, begin(call));
    },
    close() {
      closing ??= (async () => {
        timer?.cancel();
        feeds.close();
        await Promise.all([writes.idle(), reads.idle(), lists.idle()]);
        await Promise.all([writes.close(closedError), reads.close(closedError), lists.close(closedError)]);
        await host.close();
      })();
      return closing;
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
