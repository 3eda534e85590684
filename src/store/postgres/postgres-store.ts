import { systemClock } from '../../clock/clock.js';
import { createFailureSeries, type FailureSeries } from '../../observe/failure-series.js';
import { createNotifier } from '../../observe/observation.js';
import { createBatcher } from '../batching/batcher.js';
import type { EventStore, ListPage, ListQuery, Revision, WriteOptions } from '../contract/event-store.js';
import { closed, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';
import { createPagedFeeds } from '../feeds/paged-feed.js';
import type { EncodedEvent } from '../contract/record.js';
import { withPatientPing } from '../shell/patient-ping.js';
import { createEventStore } from '../shell/create-event-store.js';
import { encodeSidecar } from '../sidecar/sidecar.js';
import { resolveUnknownOutcomes } from '../unknown-outcomes.js';
import { clientOf } from './driver.js';
import { DISK_FULL, stateOf } from './failures.js';
import { createFeedProgress } from './feed-progress.js';
import { createFindCreated } from './find-created.js';
import { createHistory } from './history.js';
import { checkKey, isStorable, quoted } from './names.js';
import { openDatabase, READ_ONLY } from './open-database.js';
import { checkPostgresStoreOptions, type PostgresStoreOptions } from './options.js';
import { readChanges } from './read-changes.js';
import { readList } from './read-list.js';
import { createReads } from './reads.js';
import { createRequests, stampOf } from './requests.js';
import { EVENT_COLUMNS, numberOf, recordOfRow } from './rows.js';
import { ROW_BYTES } from './schema-functions.js';
import { createServerClock } from './server-clock.js';
import { createListenCheck, createWakeUps } from './wake-ups.js';
import { createWriteBatches, type Write } from './write-batches.js';

/** The most events that one statement of `expire` removes: it holds up writers for as long as it runs. */
const EXPIRE_STEP = 500;
/** The options of a create, with a revision that was seen before its first attempt. */
type CreateOptions = WriteOptions & { readonly since?: Revision };

/** Pages of lists that are read at once: one while another is decoded. Reads of events find free connections. */
const LISTS_AT_ONCE = 2;

/**
 * A store in PostgreSQL 12 or newer, for any number of replicas over one database. Opens in the background; operations
 * wait for it. Acknowledged writes are committed. Revisions are assigned under the lock of one row, in batches, and
 * become visible in their order. A write whose connection was lost is repeated under its condition, which reveals its
 * outcome.
 *
 * @throws TypeError that lists every unusable option.
 */
export function postgresStore(options: PostgresStoreOptions): EventStore {
  checkPostgresStoreOptions(options);
  const { schema = 'kube_vitals', name = 'postgres', migrate = true, pooling = 'auto', clock, startAt } = options;
  const { requestTimeoutMs: timeoutMs = 5_000, maxEventBytes = 3_145_728 } = options;
  let stopped = false;
  const timers = systemClock;
  const notify = createNotifier(options.observe);
  const failuresOf = (work: string): FailureSeries =>
    createFailureSeries(`${work} of ${name}`, (failure) => stopped || notify(failure), timers);

  const client = clientOf(options, timeoutMs);
  const requests = createRequests({ client, schema, timeoutMs, timers });
  const parts = { client, requests, schema, timeoutMs, timers, clock };
  const serverClock = createServerClock(parts);
  const reads = createReads(parts, (latest) => wakeUps.written(latest));
  const check = createListenCheck(parts, pooling);
  const progress = createFeedProgress();
  const feeds = createPagedFeeds({ read: (after) => readChanges(reads, schema, after, progress.nothing) });
  const { pollMs = 1_000, pollWithoutListenMs = 100 } = options;
  const failures = failuresOf('notifications');
  const wakeUps = createWakeUps({ ...parts, check, pollMs, pollWithoutListenMs, feeds, failures });
  const history = createHistory(parts, failuresOf('history'), options);
  const onWritten = (latest: Revision, bytes: number): void => {
    requests.wrote();
    wakeUps.written(latest);
    history.written(bytes);
  };
  const writes = createWriteBatches({ ...parts, reads, serverClock, onWritten });
  const lists = createBatcher<ListQuery, ListPage>({
    maxItems: 1,
    concurrency: LISTS_AT_ONCE,
    async run(queries) {
      const since = timers.monotonic();
      try {
        return await Promise.all(queries.map((query) => readList(reads, schema, query)));
      } catch (error) {
        // Each list that waits would take another deadline.
        if (requests.isSilent(since)) {
          lists.failWaiting(() => storeError('unavailable', 'PostgreSQL: no response to earlier lists'));
        }
        throw error;
      }
    },
  });
  const s = quoted(schema);
  const get = {
    name: `${schema}.get`,
    text: `SELECT pg_is_in_recovery()::text AS standby, (SELECT o.revision FROM ${s}.counter o)::text AS revision,
  ${EVENT_COLUMNS}
FROM (SELECT $1::text AS key) wanted
LEFT JOIN (${s}.current c JOIN ${s}.versions v ON v.rev = c.rev) ON c.key = wanted.key`,
  };
  const expire = {
    name: `${schema}.expire`,
    text: `SELECT r_count::text AS count, r_revision::text AS revision
FROM (SELECT set_config('lock_timeout', $5::text, true) AS waits OFFSET 0) first,
  LATERAL ${s}.expire($1::bigint, $2::integer, $3::bigint, $4::bigint, CASE WHEN waits <> '' THEN $5::text::integer END)`,
  };
  const revision = {
    name: `${schema}.revision`,
    text: `SELECT revision::text, pg_is_in_recovery()::text AS standby,
  current_setting('transaction_read_only') AS read_only FROM ${s}.counter`,
  };

  let probing: Promise<void> | undefined;
  const probe = (): Promise<void> =>
    writes
      .probe()
      .then(requests.wrote, () => undefined)
      .finally(() => (probing = undefined));

  const put = (write: Write & { readonly event: EncodedEvent }, signal: AbortSignal | undefined) => {
    checkKey(write.key);
    return writes.add({ ...write, sidecar: encodeSidecar(write.event) }, signal);
  };

  const store = createEventStore({
    name,
    capabilities: { durable: true, shared: true, newestFirst: true, remaining: false, maxEventBytes },
    reopening: { clock: timers },
    async open() {
      const start = startAt ?? (clock && Math.min(Math.floor(clock.now()), Number.MAX_SAFE_INTEGER));
      await serverClock.now();
      const first = start && Math.max(1, start);
      reads.saw(await openDatabase({ ...parts, migrate, start: first, raise: startAt === undefined }));
      if (stopped) return;
      history.start();
      check.works().catch(failures.failed);
    },
    async get(key, call) {
      const text = keyText(key);
      if (!isStorable(text)) return undefined;
      const [row] = await reads.read(get, [text], call?.signal);
      return row === undefined || row['key'] === null ? undefined : recordOfRow(row);
    },
    list: (query) => lists.add(query, query.signal),
    create(key, event, { expiresAt, signal, since: begun = 0 }: CreateOptions) {
      // It may have begun by waiting until the store was open.
      const since = Math.max(begun, reads.first);
      return put({ kind: 'create', key, event, expiresAt, since }, signal);
    },
    replace: (key, event, { expiresAt, expected, signal }) =>
      put({ kind: 'replace', key, event, expiresAt, expected }, signal),
    remove(key, { expected, signal }) {
      if (!isStorable(keyText(key))) throw notFound('a key with such characters');
      return writes.add({ kind: 'remove', key, expected }, signal);
    },
    async expire({ now: asked, limit: most }) {
      const limit = Math.min(Math.floor(most), EXPIRE_STEP);
      const due = Math.max(Math.min(Math.floor(asked), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
      const values = [String(due), String(limit), String(reads.seen), stampOf(clock), String(timeoutMs)];
      const [row] = await requests.write(expire, values);
      const count = numberOf(row?.['count']);
      if (count > 0) {
        reads.saw(numberOf(row?.['revision']));
        onWritten(numberOf(row?.['revision']), count * ROW_BYTES);
      }
      return count;
    },
    feed(feed) {
      const source = progress.reported(feeds.open(feed), feed);
      wakeUps.start();
      return source;
    },
    requestProgress: () => feeds.wake(),
    async revision(call) {
      const [row] = await reads.read(revision, [], call?.signal);
      return numberOf(row?.['revision']);
    },
    async ping(call) {
      const [row] = await reads.read(revision, [], call?.signal);
      if (row?.['read_only'] === 'on') throw storeError('unavailable', `PostgreSQL: ${READ_ONLY}`);
      const failure = requests.refusedWrite();
      if (failure !== undefined) {
        // The next call gets the result. With a full disk it would prove nothing: it needs no space.
        if (stateOf(failure) !== DISK_FULL) probing ??= probe();
        throw storeError('unavailable', failure.message, { cause: failure, onlyWrites: true });
      }
    },
    now: (call) => serverClock.now(call?.signal),
    stop() {
      stopped = true;
      check.close();
      void writes.close(() => closed(name));
      void lists.close(() => closed(name));
    },
    async close() {
      await Promise.all([wakeUps.close(), history.close()]);
      await client.close?.();
    },
  });
  const resolving = resolveUnknownOutcomes(store, { clock: timers, findCreated: createFindCreated(reads, schema) });
  const patient = withPatientPing(resolving, timers, requests.silence);
  return Object.freeze<EventStore>({
    ...patient,
    create: (key, event, call) => patient.create(key, event, { ...call, since: reads.seen } as CreateOptions),
  });
}
