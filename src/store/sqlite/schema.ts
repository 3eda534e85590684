import type { SqlConnection } from './driver.js';

/** Marks a file as a database of this store, in SQLite's header: "KVit". */
export const APPLICATION_ID = 0x4b566974;

/**
 * `versions` has one row for each state of a key, by its revision, written once (decision 77); a deletion is a row
 * without data. Texts are UTF-8 blobs, which every driver returns unchanged and SQLite orders by bytes. Small columns
 * come first: what follows a large blob is slow to reach. `description` is the sidecar.
 *
 * The numbers of the objects that events are about rise, so that new events are adjacent to those of the same minutes;
 * by names and uids a create, 64 at a time, wrote 3.6 pages instead of 1.8 (CPU 80 µs instead of 44).
 *
 * Lists of the latest revision read `current_events`; what a snapshot still sees, and what is to be pruned, is in
 * `ended_versions`, whose `kind` is: replaced (0), replaced and now about another object (1), deleted (2). `expiries`
 * and `versions_namespace` keep replaced rows until they are pruned. The columns of `state` are members of `State`.
 */
const SCHEMA = `
  CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    history_bytes INTEGER NOT NULL,
    ahead INTEGER NOT NULL DEFAULT 0,
    opening INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE objects (id INTEGER PRIMARY KEY, name BLOB NOT NULL, uid BLOB NOT NULL);
  CREATE UNIQUE INDEX objects_name ON objects (name, uid);
  CREATE INDEX objects_uid ON objects (uid);
  CREATE TABLE versions (
    rev INTEGER PRIMARY KEY,
    previous INTEGER,
    expires_at INTEGER NOT NULL,
    object INTEGER,
    key BLOB NOT NULL,
    namespace BLOB NOT NULL,
    description BLOB,
    data BLOB
  );
  CREATE INDEX versions_namespace ON versions (namespace);
  CREATE TABLE current_events (key BLOB PRIMARY KEY, rev INTEGER NOT NULL, object INTEGER, size INTEGER NOT NULL)
    WITHOUT ROWID;
  CREATE INDEX current_object ON current_events (object, key) WHERE object IS NOT NULL;
  CREATE TABLE expiries (expires_at INTEGER, rev INTEGER, PRIMARY KEY (expires_at, rev)) WITHOUT ROWID;
  CREATE TABLE ended_versions (
    rev INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    object INTEGER,
    size INTEGER NOT NULL,
    key BLOB NOT NULL
  );
  CREATE INDEX ended_object ON ended_versions (object) WHERE kind > 0;
  CREATE TABLE probe (id INTEGER PRIMARY KEY, filling BLOB);
`;

/** The version of the schema. Those below it were never released. */
const VERSION = 4;

/** Makes the schema in an empty database. */
export function createSchema(connection: SqlConnection): void {
  connection.exec(`BEGIN; ${SCHEMA}
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}; COMMIT`);
}

/** @throws Error for the schema of another version */
export function checkSchema(connection: SqlConnection): void {
  const version = Number(connection.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version === VERSION) return;
  throw new Error(
    `its schema has version ${version}, this version of kube-vitals supports ${VERSION}: ` +
      'use the version that wrote it, or a newer one',
  );
}
