import type { SqlConnection } from './driver.js';

/** Marks a file as ours, in SQLite's header: "KVit". */
export const APPLICATION_ID = 0x4b566974;

/**
 * One row for each state of a key, by the revision that made it. `ended` is the revision that ended the state; NULL: it is
 * current. A deletion is a row without data that ends where it begins. Texts are kept as UTF-8 blobs, which every driver
 * returns unchanged and SQLite orders by bytes. Small columns come first: what follows a large blob is slow to reach.
 *
 * Indexes over current rows answer lists of now, those over ended rows add what a snapshot still sees.
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
 * What events are about is a table of its own. By its numbers, which rise, new events stand beside those of the same
 * minutes; by names and uids they were scattered over two indexes, and a create of 64 at a time wrote 3.6 pages where it
 * now writes 1.8 (CPU 80 µs, then 44). The index serves history as well, so that it tells when an object can go.
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

/** See `State`: how far history's time is ahead of the clock, and the mark of the latest opening. */
const OWN_TIME = `
  ALTER TABLE state ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE state ADD COLUMN opening INTEGER NOT NULL DEFAULT 0;
`;

/** What makes version n of the schema out of version n - 1, at place n - 1. Only ever appended to. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA, OBJECTS, OWN_TIME];

/**
 * Brings a database from a version of the schema (0: there is none) to the newest, each step in a transaction of its own.
 *
 * @throws Error when the schema is newer than this version of the library.
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
