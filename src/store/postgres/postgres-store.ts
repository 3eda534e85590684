import { systemClock, type Clock } from '../../clock/clock.js';
import { createNotifier } from '../../observe/notifier.js';
import { createBatcher } from '../batcher.js';
import type { EventKey, EventStore, ListPage, ListQuery, StoreCall, StoreCapabilities } from '../contract.js';
import { storeError } from '../errors.js';
import { createPagedFeeds } from '../paged-feed.js';
import type { EncodedEvent } from '../record.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import { untilAborted } from '../until-aborted.js';
import { clientOf } from './driver.js';
import { createHistory } from './history.js';
import { createListenCheck } from './listen-check.js';
import { channelOf, checkKey, isStorable, keyText, quoted } from './names.js';
import { openDatabase } from './open-database.js';
import { createOpener } from './opener.js';
import { checkPostgresStoreOptions, type PostgresStoreOptions } from './options.js';
import { readChanges } from './read-changes.js';
import { checkListQuery, readList } from './read-list.js';
import { createReads } from './reads.js';
import { createRequests } from './requests.js';
import { EVENT_COLUMNS, numberOf, recordOfRow } from './rows.js';
import { ROW_BYTES } from './schema-functions.js';
import { createServerClock } from './server-clock.js';
import { createWakeUps } from './wake-ups.js';
import { contentOf, createWriteBatches, type Write } from './write-batches.js';

/** The most events that one statement of `expire` removes: it holds up writers for as long as it runs. */
const EXPIRE_STEP = 500;
/**
 * Pages of lists that are read at once. One is read while another is decoded, which is all that one thread can use; and who
 * asks for one event finds a connection that no list has.
 */
const LISTS_AT_ONCE = 2;

/**
 * A store in PostgreSQL 12 or newer, for any number of replicas over one database. Opens in the background; operations wait
 * for it. Acknowledged writes are committed. Revisions are given out under the lock of one row, in batches, and become
 * visible in their order. A write whose connection was lost is repeated under its condition and so settled.
 *
 * @throws TypeError that lists every unusable option.
 */
export function postgresStore(options: PostgresStoreOptions): EventStore {
  return openPostgresStore(options, systemClock);
}

/** The same, with the clock of deadlines, polls and pauses, which for users is the real one. */
export function openPostgresStore(options: PostgresStoreOptions, timers: Clock): EventStore {
  checkPostgresStoreOptions(options);
  const { schema = 'kube_vitals', migrate = true, pooling = 'auto', clock } = options;
  const { requestTimeoutMs: timeoutMs = 5_000, historyMs = 600_000, maxEventBytes = 3_145_728, startAt } = options;
  const { historyMaxBytes = 268_435_456 } = options;
  const name = options.name ?? 'postgres';
  const s = quoted(schema);
  const notify = createNotifier(options.observe);
  const onError = (error: unknown): void => {
    if (!closing.signal.aborted) notify({ type: 'error', error, where: `store ${name}` });
  };

  const client = clientOf(options, timeoutMs);
  const requests = createRequests({ client, schema: s, timeoutMs, timers });
  const serverClock = createServerClock(requests, timers);
  const reads = createReads({ requests, schema, timeoutMs, onLifted: (latest) => wakeUps.written(latest) });
  const closing = new AbortController();
  const check = createListenCheck({ client, requests, pooling, timers });
  const feeds = createPagedFeeds({
    async read(after) {
      await begin(undefined);
      return readChanges(reads, schema, after);
    },
  });
  const wakeUps = createWakeUps({
    client,
    channel: channelOf(schema),
    check,
    pollMs: options.pollMs ?? 1_000,
    pollWithoutListenMs: options.pollWithoutListenMs ?? 100,
    timers,
    readers: () => feeds.readers,
    wake: feeds.wake,
    onError,
  });
  const history = createHistory({ requests, schema, timers, clock, historyMs, historyMaxBytes, onError });
  const writes = createWriteBatches({
    requests,
    reads,
    schema,
    clock,
    timers,
    serverClock,
    timeoutMs,
    onWritten(latest, bytes) {
      wakeUps.written(latest);
      history.written(bytes);
    },
  });

  const lists = createBatcher<ListQuery, ListPage>({
    maxItems: 1,
    concurrency: LISTS_AT_ONCE,
    run: ([query]) => Promise.all(query === undefined ? [] : [readList(reads, schema, query)]),
  });

  const opener = createOpener(async () => {
    const start = startAt ?? (clock && Math.min(Math.floor(clock.now()), Number.MAX_SAFE_INTEGER));
    await serverClock.measure();
    const opening = { requests, schema, migrate, start: start && Math.max(1, start), raise: startAt === undefined };
    reads.saw(await openDatabase(opening));
    if (closing.signal.aborted) return;
    history.start();
    check.works().then((works) => works && requests.prepare(), onError);
  }, timers);

  let leaveOpening: (error: Error) => void = () => undefined;
  const closedWhileOpening = new Promise<never>((_resolve, reject) => {
    leaveOpening = reject;
  });
  closedWhileOpening.catch(() => undefined);

  const isClosed = (): Error => storeError('closed', `the store ${name} is closed`);

  const begin = async (call: StoreCall | undefined): Promise<void> => {
    if (closing.signal.aborted) throw isClosed();
    call?.signal?.throwIfAborted();
    if (!opener.isOpen) await untilAborted(Promise.race([opener.ready(), closedWhileOpening]), call?.signal);
  };

  /** An operation that reads: it is not waited for any longer than the caller wants to. */
  const reading = async <T>(call: StoreCall | undefined, work: () => Promise<T>): Promise<T> => {
    await begin(call);
    return untilAborted(work(), call?.signal);
  };

  const write = async (one: Write, call: StoreCall | undefined): Promise<Awaited<ReturnType<typeof writes.add>>> => {
    const { signal } = call ?? {};
    return untilAborted(writes.add(one, signal), signal);
  };

  const checkPut = (key: EventKey, event: EncodedEvent, expiresAt: number): void => {
    checkKey(key);
    if (!Number.isSafeInteger(expiresAt)) {
      throw new TypeError('expiresAt: give whole microseconds since the epoch');
    }
    if (event.bytes.length > maxEventBytes) {
      throw storeError('too-large', `the event has ${event.bytes.length} bytes, at most ${maxEventBytes} are kept`);
    }
  };

  const statements = {
    get: {
      name: `${schema}.get`,
      text: `SELECT pg_is_in_recovery()::text AS standby, (SELECT o.revision FROM ${s}.counter o)::text AS revision,
  ${EVENT_COLUMNS}
FROM (SELECT $1::text AS key) wanted
LEFT JOIN (${s}.current c JOIN ${s}.versions v ON v.rev = c.rev) ON c.key = wanted.key`,
    },
    expire: {
      name: `${schema}.expire`,
      text: `SELECT r_count::text AS count, r_revision::text AS revision
FROM ${s}.expire($1::bigint, $2::integer, $3::bigint, $4::bigint, $5::integer)`,
    },
    revision: {
      name: `${schema}.revision`,
      text: `SELECT revision::text, pg_is_in_recovery()::text AS standby,
  current_setting('transaction_read_only') AS read_only FROM ${s}.counter`,
    },
  };

  const readRevision = async (call: StoreCall | undefined): Promise<{ revision: number; readOnly: boolean }> => {
    const [row] = await reads.read(statements.revision, [], call?.signal);
    return { revision: numberOf(row?.['revision']), readOnly: row?.['read_only'] === 'on' };
  };

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closing.abort();
    leaveOpening(isClosed());
    feeds.close();
    check.close();
    await Promise.all([writes.close(isClosed), lists.close(isClosed)]);
    await Promise.all([wakeUps.close(), history.close()]);
    await client.close?.();
  };

  return resolveUnknownOutcomes({
    name,
    capabilities: Object.freeze<StoreCapabilities>({
      durable: true,
      shared: true,
      newestFirst: 'indexed',
      remaining: false,
      maxEventBytes,
    }),
    get: (key, call) =>
      reading(call, async () => {
        const text = keyText(key);
        if (!isStorable(text)) return undefined;
        const [row] = await reads.read(statements.get, [text], call?.signal);
        return row === undefined || row['key'] === null ? undefined : recordOfRow(row);
      }),
    async list(query) {
      if (!closing.signal.aborted) checkListQuery(query);
      return reading(query, () => lists.add(query, query.signal));
    },
    async create({ namespace, name: own }, event, call) {
      const one: Write = {
        kind: 'create',
        key: { namespace, name: own },
        expiresAt: call.expiresAt,
        ...contentOf(event),
      };
      if (!closing.signal.aborted) checkPut(one.key, event, call.expiresAt);
      await begin(call);
      return write(one, call);
    },
    async replace({ namespace, name: own }, event, call) {
      const { expected, expiresAt } = call;
      const one: Write = { kind: 'replace', key: { namespace, name: own }, expected, expiresAt, ...contentOf(event) };
      if (!closing.signal.aborted) checkPut(one.key, event, expiresAt);
      await begin(call);
      return write(one, call);
    },
    async remove({ namespace, name: own }, call) {
      const one: Write = { kind: 'remove', key: { namespace, name: own }, expected: call?.expected };
      await begin(call);
      if (!isStorable(keyText(one.key))) throw storeError('not-found', 'no key has such characters in it');
      return write(one, call);
    },
    expire: (call) =>
      reading(call, async () => {
        const limit = Math.min(Math.max(Math.floor(call.limit), 0), EXPIRE_STEP);
        if (!(limit > 0)) return 0;
        const due = Math.max(Math.min(Math.floor(call.now), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
        const now = clock === undefined ? null : String(Math.floor(clock.now()));
        const values = [String(due), String(limit), String(reads.seen), now, String(timeoutMs)];
        const [row] = await requests.write(statements.expire, values);
        const count = numberOf(row?.['count']);
        if (count > 0) {
          reads.saw(numberOf(row?.['revision']));
          wakeUps.written(numberOf(row?.['revision']));
          history.written(count * ROW_BYTES);
        }
        return count;
      }),
    changes: (call) => ({
      [Symbol.asyncIterator]() {
        if (closing.signal.aborted) return { next: () => Promise.reject(isClosed()) };
        const feed = feeds.open(call);
        wakeUps.start();
        return feed;
      },
    }),
    revision: (call) => reading(call, async () => (await readRevision(call)).revision),
    ping: (call) =>
      reading(call, async () => {
        const { readOnly } = await readRevision(call);
        if (readOnly) throw storeError('unavailable', 'PostgreSQL: the session is read-only: connect to the primary');
      }),
    now: (call) => reading(call, () => serverClock.now(call?.signal)),
    close: () => (closed ??= close()),
  });
}
