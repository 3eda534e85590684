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
  CREATE UNIQUE INDEX current_key ON versions (key) WHERE ended IS NULL;
  CREATE INDEX current_rev ON versions (rev) WHERE ended IS NULL;
  CREATE INDEX current_namespace ON versions (namespace) WHERE ended IS NULL;
  CREATE INDEX current_expiry ON versions (expires_at) WHERE ended IS NULL;
  CREATE INDEX current_regarding_name ON versions (regarding_name, key) WHERE ended IS NULL AND regarding_name IS NOT NULL;
  CREATE INDEX current_regarding_uid ON versions (regarding_uid, key) WHERE ended IS NULL AND regarding_uid IS NOT NULL;
  CREATE INDEX ended_rev ON versions (ended) WHERE ended IS NOT NULL;
  CREATE INDEX ended_key ON versions (key, ended) WHERE ended IS NOT NULL;
`;

/** What makes version n of the schema out of version n - 1, at place n - 1. Only ever appended to. */
export const MIGRATIONS: readonly string[] = [FIRST_SCHEMA];

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
