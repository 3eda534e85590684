import type { SqlConnection } from './driver.js';

/** Marks a file as ours, in SQLite's header: "KVit". */
export const APPLICATION_ID = 0x4b566974;

/**
 * One row for each state of a key, by the revision that made it. A deletion is a row without data. Texts are kept as
 * UTF-8 blobs, which every driver returns unchanged and SQLite orders by bytes. Small columns come first: what follows
 * a large blob is slow to reach. `ended` and `ended_at` are not used any more: see {@link ROWS_ARE_NOT_CHANGED}.
 */
const FIRST_SCHEMA = `
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    history_bytes INTEGER NOT NULL
  );
  CREATE TABLE versions (
    rev INTEGER PRIMARY KEY,
    previous INTEGER,
    ended INTEGER,
    ended_at INTEGER,
    expires_at INTEGER NOT NULL,
    key BLOB NOT NULL,
    namespace BLOB NOT NULL,
    regarding_name BLOB,
    regarding_uid BLOB,
    description BLOB,
    data BLOB
  );
  CREATE TABLE probe (id INTEGER PRIMARY KEY, filling BLOB);
`;

/**
 * The objects that events are about are a table of their own. Their numbers rise, so that new events are adjacent to
 * those of the same minutes; by names and uids they were scattered over two indexes, and a create, 64 at a time, wrote
 * 3.6 pages instead of 1.8 (CPU 80 µs instead of 44).
 */
const OBJECTS = `
  CREATE TABLE objects (id INTEGER PRIMARY KEY, name BLOB NOT NULL, uid BLOB NOT NULL);
  CREATE UNIQUE INDEX objects_name ON objects (name, uid);
  CREATE INDEX objects_uid ON objects (uid);
  INSERT INTO objects (name, uid)
    SELECT coalesce(regarding_name, x''), coalesce(regarding_uid, x'') FROM versions
    WHERE regarding_name IS NOT NULL OR regarding_uid IS NOT NULL GROUP BY 1, 2 ORDER BY min(rev);
  ALTER TABLE versions RENAME TO versions_before;
  CREATE TABLE versions (
    rev INTEGER PRIMARY KEY,
    previous INTEGER,
    ended INTEGER,
    ended_at INTEGER,
    expires_at INTEGER NOT NULL,
    object INTEGER,
    key BLOB NOT NULL,
    namespace BLOB NOT NULL,
    description BLOB,
    data BLOB
  );
  INSERT INTO versions SELECT rev, previous, ended, ended_at, expires_at,
      (SELECT id FROM objects WHERE name = coalesce(regarding_name, x'') AND uid = coalesce(regarding_uid, x'')),
      key, namespace, description, data
    FROM versions_before ORDER BY rev;
  DROP TABLE versions_before;
  CREATE UNIQUE INDEX current_key ON versions (key) WHERE ended IS NULL;
  CREATE INDEX current_rev ON versions (rev) WHERE ended IS NULL;
  CREATE INDEX current_namespace ON versions (namespace) WHERE ended IS NULL;
  CREATE INDEX current_expiry ON versions (expires_at) WHERE ended IS NULL;
  CREATE INDEX versions_object ON versions (object, ended, key) WHERE object IS NOT NULL;
  CREATE INDEX ended_rev ON versions (ended) WHERE ended IS NOT NULL;
  CREATE INDEX ended_key ON versions (key, ended) WHERE ended IS NOT NULL;
`;

/** See `State`: how far history's time is ahead of the clock, and the number of the latest opening. */
const OWN_TIME = `
  ALTER TABLE state ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE state ADD COLUMN opening INTEGER NOT NULL DEFAULT 0;
`;

/**
 * Rows of `versions` are written once (decision 77). Lists of the latest revision read `current_events`; what a snapshot
 * still sees, and what is to be pruned, is in `ended_versions`, whose `kind` is: replaced (0), replaced and now about
 * another object (1), deleted (2). `expiries` and `versions_namespace` keep replaced rows until they are pruned: the
 * newest events are found by the latter, and compared with `current_events`.
 */
const ROWS_ARE_NOT_CHANGED = `
  CREATE TABLE current_events (key BLOB PRIMARY KEY, rev INTEGER NOT NULL, object INTEGER, size INTEGER NOT NULL)
    WITHOUT ROWID;
  INSERT INTO current_events SELECT key, rev, object, length(data) FROM versions WHERE ended IS NULL ORDER BY key;
  CREATE INDEX current_object ON current_events (object, key) WHERE object IS NOT NULL;
  CREATE TABLE expiries (expires_at INTEGER, rev INTEGER, PRIMARY KEY (expires_at, rev)) WITHOUT ROWID;
  INSERT INTO expiries SELECT expires_at, rev FROM versions WHERE ended IS NULL ORDER BY expires_at, rev;
  CREATE TABLE ended_versions (
    rev INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    object INTEGER,
    size INTEGER NOT NULL,
    key BLOB NOT NULL
  );
  INSERT INTO ended_versions SELECT ended, ended_at, rev,
      CASE WHEN EXISTS (SELECT 1 FROM versions AS deleted WHERE deleted.rev = v.ended AND deleted.ended = v.ended)
        THEN 2 ELSE 1 END,
      object, coalesce(length(data), 0), key
    FROM versions AS v WHERE ended <> rev ORDER BY ended;
  INSERT OR IGNORE INTO ended_versions SELECT rev, ended_at, previous, 2, NULL, 0, key FROM versions WHERE ended = rev;
  DROP INDEX current_key;
  DROP INDEX current_rev;
  DROP INDEX current_namespace;
  DROP INDEX current_expiry;
  DROP INDEX versions_object;
  DROP INDEX ended_rev;
  DROP INDEX ended_key;
  CREATE INDEX ended_object ON ended_versions (object) WHERE kind > 0;
  CREATE INDEX versions_namespace ON versions (namespace);
`;

/** The migrations: the one at index n - 1 makes version n of the schema from version n - 1. Only ever appended to. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, OBJECTS, OWN_TIME, ROWS_ARE_NOT_CHANGED];

/**
 * `version`: 0 if there is no schema. Each step is a transaction of its own.
 *
 * @throws Error when the schema is newer than this version of the library
 */
export function migrate(connection: SqlConnection, version: number, migrations: readonly string[] = MIGRATIONS): void {
  if (version > migrations.length) {
    throw new Error(
      `its schema has version ${version}, this version of kube-vitals knows ${migrations.length} and older: ` +
        'use the version that wrote it, or a newer one',
    );
  }
  for (let next = version; next < migrations.length; next++) {
    connection.exec('BEGIN IMMEDIATE');
    try {
      connection.exec(migrations[next] as string);
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      connection.exec(`PRAGMA user_version = ${next + 1}`);
      connection.exec('COMMIT');
    } catch (error) {
      connection.exec('ROLLBACK');
      throw error;
    }
  }
}
