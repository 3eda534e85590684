import { checkOptions } from '../../options/check-options.js';
import { aSchemaName, channelOf, quoted } from './names.js';
import { snapshotFunction, writeFunction } from './schema-functions.js';
import { liftFunction, openFunction, systemFunction } from './schema-lift.js';
import { compactFunction, expireFunction } from './schema-upkeep.js';

/** The version of the tables. The one before it was never released. */
export const SCHEMA_VERSION = 2;

/**
 * The version of the functions, in a comment on `write`: to be raised with each change of one, which then reaches the
 * databases that exist. Replicas of earlier releases call the same functions meanwhile and after a rollback, so their
 * parameters and results must stay as they are.
 */
export const FUNCTIONS_VERSION = 1;

/** The version in the comment on the function `functionId`; null: there is none. */
export const functionsVersionSql = (functionId: string): string =>
  `substring(pg_catalog.obj_description(${functionId}, 'pg_proc') FROM '^kube-vitals functions ([0-9]+)$')`;

/** Options of {@link postgresSchema}. */
export interface PostgresSchemaOptions {
  /** The schema's name. Default: `kube_vitals`. */
  readonly schema?: string | undefined;
}

/**
 * `versions` is the log: one row for every write, deletion and expiry, written once and deleted with old history. Its
 * `total` adds up what history costs, so that the cost between two rows of the log is a difference. `current` has the
 * current version of each key: small rows, so that a write rewrites no event.
 *
 * `counter` is the lock that makes revisions visible in order; it is separate from `meta` so that deleting history does
 * not block writers. Its `timeline`, `place` and `system` show whether the data was moved or restored. `forgotten` is
 * how far the log was cleared; the floor may be higher. `raises` has the revisions that the counter was raised to
 * without a row in the log: any other revision that is not in the log was assigned in a history that is gone.
 */
function tables(s: string): string {
  return `
    CREATE TABLE ${s}.meta (
      id boolean PRIMARY KEY DEFAULT true CHECK (id),
      version integer NOT NULL,
      floor bigint NOT NULL,
      forgotten bigint NOT NULL
    );
    CREATE TABLE ${s}.counter (
      id boolean PRIMARY KEY DEFAULT true CHECK (id),
      revision bigint NOT NULL CHECK (revision <= 9007199254740991),
      at bigint NOT NULL,
      total bigint NOT NULL,
      timeline text,
      place bigint NOT NULL,
      system text
    ) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
    CREATE TABLE ${s}.versions (
      rev bigint PRIMARY KEY,
      key text COLLATE "C" NOT NULL,
      deleted boolean NOT NULL,
      previous bigint,
      at bigint NOT NULL,
      expires_at bigint NOT NULL,
      total bigint NOT NULL,
      regarding_name text COLLATE "C",
      regarding_uid text COLLATE "C",
      description text,
      data bytea
    ) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
    -- PostgreSQL 12 does not have it.
    IF pg_catalog.current_setting('server_version_num')::integer >= 130000 THEN
      ALTER TABLE ${s}.versions SET (autovacuum_vacuum_insert_scale_factor = 0.05);
    END IF;
    CREATE INDEX versions_key ON ${s}.versions (key, rev DESC) INCLUDE (deleted);
    CREATE INDEX versions_regarding_name ON ${s}.versions (regarding_name) WHERE regarding_name IS NOT NULL;
    CREATE INDEX versions_regarding_uid ON ${s}.versions (regarding_uid) WHERE regarding_uid IS NOT NULL;
    CREATE TABLE ${s}.current (
      key text COLLATE "C" PRIMARY KEY,
      namespace text COLLATE "C" NOT NULL,
      rev bigint NOT NULL,
      expires_at bigint NOT NULL
    ) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
    CREATE INDEX current_rev ON ${s}.current (rev);
    CREATE INDEX current_namespace ON ${s}.current (namespace, rev);
    CREATE INDEX current_expires_at ON ${s}.current (expires_at);
    CREATE TABLE ${s}.raises (revision bigint PRIMARY KEY);
    INSERT INTO ${s}.meta (version, floor, forgotten) VALUES (${SCHEMA_VERSION}, 0, 0);
    INSERT INTO ${s}.counter (revision, at, total, place) VALUES (0, 0, 0, '${s}.counter'::regclass::oid::bigint);`;
}

function functions(schema: string): string {
  const s = quoted(schema);
  const channel = channelOf(schema);
  return [
    systemFunction(s),
    liftFunction(s, channel),
    openFunction(s),
    writeFunction(s, channel),
    snapshotFunction(s),
    expireFunction(s, channel),
    compactFunction(s, schema),
    `COMMENT ON FUNCTION ${s}.write IS 'kube-vitals functions ${FUNCTIONS_VERSION}';`,
  ].join('\n');
}

/**
 * The SQL text that creates or updates the schema: one atomic statement under an advisory lock, which may be run again.
 * The store runs it itself unless it has `migrate: false`; then apply it with a role that may create schemas.
 *
 * @throws TypeError that lists every fault.
 */
export function postgresSchema(options: PostgresSchemaOptions = {}): string {
  checkOptions('postgresSchema', options, { schema: aSchemaName });
  const { schema = 'kube_vitals' } = options;
  const s = quoted(schema);
  // Existing objects are looked up in the catalogs themselves: functions such as to_regclass use caches, which may be
  // older than the lock.
  return `DO $kube_vitals$
DECLARE
  present integer := ${SCHEMA_VERSION};
  functions integer;
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('kube-vitals schema ${schema}', 0));
  IF pg_catalog.getdatabaseencoding() <> 'UTF8' THEN
    RAISE EXCEPTION 'the encoding of the database is %, it has to be UTF8', pg_catalog.getdatabaseencoding();
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = '${schema}') THEN
    CREATE SCHEMA ${s};
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = '${schema}' AND c.relname = 'meta') THEN
    SELECT version INTO present FROM ${s}.meta;
    IF present IS NULL OR present < ${SCHEMA_VERSION} THEN
      RAISE EXCEPTION 'the schema % has version %, which no release knows: drop it, or use another', '${schema}', present;
    END IF;
  ELSE
    ${tables(s)}
  END IF;
  SELECT max(${functionsVersionSql('p.oid')}::integer) INTO functions
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = '${schema}' AND p.proname = 'write';
  IF present = ${SCHEMA_VERSION} AND coalesce(functions, 0) < ${FUNCTIONS_VERSION} THEN
    ${functions(schema)}
  END IF;
END
$kube_vitals$;
`;
}
