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

/** For `postgresStore`: exactly one of `pool`, `connectionString` and `client`, and what has a default. */
export interface PostgresStoreOptions {
  /** A `Pool` of `pg`, made and ended by the service. It needs two connections or more for LISTEN. */
  readonly pool?: PgPool | undefined;
  /**
   * Where the database is, as `pg` reads it (`postgres://user:password@host:5432/database`). The store has a pool of
   * its own.
   */
  readonly connectionString?: string | undefined;
  /** Another driver behind the small interface the store needs, such as `postgresJsClient(sql)`. */
  readonly client?: PostgresClient | undefined;
  /**
   * With `connectionString`: the `ssl` option of `pg`, a boolean or the options of `tls.connect`. Default: as in the
   * string.
   */
  readonly ssl?: boolean | object | undefined;
  /**
   * With `connectionString`: the most connections for statements. One more is held while a feed is read. Default: 8.
   */
  readonly poolSize?: number | undefined;
  /** The schema everything is in, of ASCII letters, digits, `_` and `-`, at most 48. Default: `kube_vitals`. */
  readonly schema?: string | undefined;
  /** Whether the store may create and update its schema. `false`: it only checks it. Default: true. */
  readonly migrate?: boolean | undefined;
  /**
   * Who pools the connections. `session`: nobody, they are the server's; statements are prepared, feeds wake by LISTEN.
   * `transaction`: a pooler such as PgBouncer in transaction mode; neither is possible, feeds poll. `auto`: the store
   * finds out. Default: `auto`.
   */
  readonly pooling?: 'auto' | 'session' | 'transaction' | undefined;
  /** The deadline of each request to the database, in milliseconds. Default: 5,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** How often a feed looks for changes by itself while LISTEN works, in milliseconds. Default: 1,000. */
  readonly pollMs?: number | undefined;
  /** The same while there is no LISTEN, in milliseconds. Default: 100. */
  readonly pollWithoutListenMs?: number | undefined;
  /** How long history is kept, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * The most bytes history may take besides what is current, roughly; the oldest is forgotten. Default: 268,435,456
   * (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /** The largest event, in bytes; a larger one is `too-large`. At most 67,108,864. Default: 3,145,728 (3 MiB). */
  readonly maxEventBytes?: number | undefined;
  /**
   * A new database begins right above this revision, and an existing one continues where it ended. Only for operators
   * who know that the database is never emptied, which would repeat revisions. Default: the clock of the database in
   * microseconds decides.
   */
  readonly startAt?: Revision | undefined;
  /**
   * For tests: the time of history and of new databases, which is never taken to be later than the clock of the
   * database. Deadlines and polls run in real time, and `now` is the database's. Default: the clock of the database.
   */
  readonly clock?: Clock | undefined;
  /** The name of the store and of its health check. Default: `postgres`. */
  readonly name?: string | undefined;
  /** Receives the errors of work in the background, which is tried again. */
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
