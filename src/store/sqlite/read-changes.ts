import type { Revision } from '../contract/event-store.js';
import { bytesOf, type SqlRow } from './driver.js';
import type { Prepare } from './read-list.js';
import type { StoredChange, StoredRecord } from './stored.js';

/** The most changes of a page, and roughly the most bytes. One change alone may be larger. */
const PAGE_CHANGES = 256;
const PAGE_BYTES = 1_048_576;

const SIZES = `
  SELECT v.rev AS rev, coalesce(length(v.data), 0) + coalesce(length(p.data), 0) AS size
  FROM versions v LEFT JOIN versions p ON p.rev = v.previous
  WHERE v.rev > ? ORDER BY v.rev LIMIT ?`;

const CHANGES = `
  SELECT v.rev AS rev, v.previous AS previous, v.key AS key,
    v.expires_at AS expires_at, v.description AS description, v.data AS data,
    p.expires_at AS p_expires_at, p.description AS p_description, p.data AS p_data
  FROM versions v LEFT JOIN versions p ON p.rev = v.previous
  WHERE v.rev > ? AND v.rev <= ? ORDER BY v.rev`;

/** The statements of a feed, for a look at their plans. */
export const FEED_STATEMENTS: readonly string[] = [SIZES, CHANGES];

function changeOf(row: SqlRow): StoredChange {
  const revision = Number(row['rev']);
  const key = bytesOf(row['key']);
  const previous: StoredRecord | undefined =
    row['previous'] === null
      ? undefined
      : {
          revision: Number(row['previous']),
          key,
          expiresAt: Number(row['p_expires_at']),
          description: bytesOf(row['p_description']),
          data: bytesOf(row['p_data']),
        };
  // A deletion has no data: its last state is that of the row before.
  const deleted = row['data'] === null;
  if (deleted && previous !== undefined) return { deleted, record: { ...previous, revision }, previous };
  const record: StoredRecord = {
    revision,
    key,
    expiresAt: Number(row['expires_at']),
    description: bytesOf(row['description']),
    data: bytesOf(row['data']),
  };
  return { deleted, record, previous };
}

/** The next changes after a revision that is within the history. */
export function readStoredChanges(prepare: Prepare, after: Revision): readonly StoredChange[] {
  let bytes = 0;
  let end: Revision | undefined;
  for (const row of prepare(SIZES).all(after, PAGE_CHANGES)) {
    bytes += Number(row['size']);
    if (end !== undefined && bytes > PAGE_BYTES) break;
    end = Number(row['rev']);
  }
  return end === undefined ? [] : prepare(CHANGES).all(after, end).map(changeOf);
}
