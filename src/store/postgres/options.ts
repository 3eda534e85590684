import type { Clock } from '../../clock/clock.js';
import type { Observe } from '../../observe/observation.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import {
  aBoolean,
  aClock,
  aFunction,
  aNonEmptyString,
  anObjectWith,
  aWholeNumber,
  mustBe,
  oneOf,
} from '../../options/rules.js';
import type { Revision } from '../contract/event-store.js';
import type { PostgresClient } from './client.js';
import { aSchemaName } from './names.js';
import type { PgPool } from './pg-client.js';

/** Options of `postgresStore`. Exactly one of `pool`, `connectionString` and `client` is required. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of `pg` that the service creates and ends. LISTEN requires at least two connections. Give it a listener for
   * `error`: without one, an idle connection that is lost ends the process, except while a store is open on the pool.
   */
  readonly pool?: PgPool | undefined;
  /**
   * The connection string for `pg` (`postgres://user:password@host:5432/database`). The store creates a pool of its
   * own, and ends it in `close()`.
   */
  readonly connectionString?: string | undefined;
  /** An adapter for another driver, such as `postgresJsClient(sql)`. */
  readonly client?: PostgresClient | undefined;
  /**
   * The `ssl` option of `pg`: a boolean or the options of `tls.connect`. Requires `connectionString`. Default: as in
   * the connection string.
   */
  readonly ssl?: boolean | object | undefined;
  /**
   * The maximum number of connections for statements; one more is held while a feed is read. Requires
   * `connectionString`. Default: 8.
   */
  readonly poolSize?: number | undefined;
  /**
   * The name of the database schema for all tables and functions: at most 48 ASCII letters, digits, `_` and `-`.
   * Default: `kube_vitals`.
   */
  readonly schema?: string | undefined;
  /**
   * Whether the store creates and updates its schema. `false`: the store only checks its version, and you apply
   * `postgresSchema()`. Default: true.
   */
  readonly migrate?: boolean | undefined;
  /**
   * How connections are pooled on the way to the server. `session`: not at all, or in session mode; statements are
   * prepared, and LISTEN notifies feeds of changes. `transaction`: by a pooler such as PgBouncer in transaction mode,
   * which allows neither, so that feeds poll. `auto`: the store detects the mode. Default: `auto`.
   */
  readonly pooling?: 'auto' | 'session' | 'transaction' | undefined;
  /** The timeout of each request to the database, in milliseconds. Default: 5,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** The interval between polls of a feed while LISTEN works, in milliseconds. Default: 1,000. */
  readonly pollMs?: number | undefined;
  /** The interval between polls of a feed without LISTEN, in milliseconds. Default: 100. */
  readonly pollWithoutListenMs?: number | undefined;
  /** How long history is kept, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * The approximate limit for history in bytes, without the current versions; above it, history younger than
   * `historyMs` is dropped as well. Default: 268,435,456 (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /**
   * The maximum size of an event in bytes, at most 67,108,864 (64 MiB); a larger one is `too-large`. Default: 3,145,728
   * (3 MiB).
   */
  readonly maxEventBytes?: number | undefined;
  /**
   * Revisions of a new database start directly above this one, and those of an existing one continue from its latest.
   * Use it only if the database is never emptied, because an emptied one would use revisions twice. Default: the clock
   * of the database in microseconds.
   */
  readonly startAt?: Revision | undefined;
  /**
   * For tests: the clock for the age of history and the first revision of a new database; a time later than that of the
   * database has no effect. Timeouts and polls use real time. Default: the clock of the database.
   */
  readonly clock?: Clock | undefined;
  /** The name of the store and of its health check. Default: `postgres`. */
  readonly name?: string | undefined;
  /** Receives the errors of background work, which is retried. Default: they are process warnings. */
  readonly observe?: Observe | undefined;
}

const rules = (): OptionRules<PostgresStoreOptions> => ({
  pool: anObjectWith(['connect', 'on', 'removeListener'], 'an object with connect(), on(), removeListener()'),
  connectionString: aNonEmptyString,
  client: anObjectWith(['query'], 'an object with query()'),
  ssl: mustBe(
    (value) => typeof value === 'boolean' || (typeof value === 'object' && value !== null),
    'true, false or an object',
  ),
  poolSize: aWholeNumber(1),
  schema: aSchemaName,
  migrate: aBoolean,
  pooling: oneOf('auto', 'session', 'transaction'),
  requestTimeoutMs: aWholeNumber(1, 2_147_483_647),
  pollMs: aWholeNumber(1),
  pollWithoutListenMs: aWholeNumber(1),
  historyMs: aWholeNumber(0, 31_536_000_000_000),
  historyMaxBytes: aWholeNumber(0),
  maxEventBytes: aWholeNumber(1, 67_108_864),
  startAt: aWholeNumber(0),
  clock: aClock,
  name: aNonEmptyString,
  observe: aFunction,
});

/** @throws TypeError that lists every fault. */
export function checkPostgresStoreOptions(options: PostgresStoreOptions): void {
  checkOptions('postgresStore', options, rules(), ({ pool, connectionString, client, ssl, poolSize }) => [
    [pool, connectionString, client].filter((way) => way !== undefined).length !== 1 &&
      'give exactly one of pool, connectionString and client',
    ssl !== undefined && connectionString === undefined && 'ssl needs connectionString',
    poolSize !== undefined && connectionString === undefined && 'poolSize needs connectionString',
  ]);
}
