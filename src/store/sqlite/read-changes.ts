import type { Revision } from '../contract/event-store.js';
import { PAGE_BYTES } from '../contract/record.js';
import type { SqlConnection, SqlRow } from './driver.js';
import { storedRecordOf, type StoredChange } from './stored.js';

/** The most changes of a page. */
const PAGE_CHANGES = 256;

/** The statements of a feed; a test checks their plans. */
export const FEED_STATEMENTS = {
  sizes: `SELECT v.rev AS rev, coalesce(length(v.data), 0) + coalesce(length(p.data), 0) AS size
    FROM versions v LEFT JOIN versions p ON p.rev = v.previous WHERE v.rev > ? ORDER BY v.rev LIMIT ?`,
  changes: `SELECT v.rev AS rev, v.previous AS p_rev, v.key AS key,
      v.expires_at AS expires_at, v.description AS description, v.data AS data,
      p.expires_at AS p_expires_at, p.description AS p_description, p.data AS p_data
    FROM versions v LEFT JOIN versions p ON p.rev = v.previous WHERE v.rev > ? AND v.rev <= ? ORDER BY v.rev`,
};

function changeOf(row: SqlRow): StoredChange {
  const { rev, p_rev, key, p_expires_at: expires_at, p_description: description, p_data: data } = row;
  const previous = p_rev === null ? undefined : storedRecordOf({ rev: p_rev, key, expires_at, description, data });
  // A deletion has no data: its last state is that of the row before.
  const deleted = row['data'] === null;
  const record = deleted && previous !== undefined ? { ...previous, revision: rev as Revision } : storedRecordOf(row);
  return { deleted, record, previous };
}

export function readStoredChanges(connection: SqlConnection, after: Revision): readonly StoredChange[] {
  let bytes = 0;
  let end: Revision | undefined;
  for (const { rev, size } of connection.prepare(FEED_STATEMENTS.sizes).all(after, PAGE_CHANGES)) {
    bytes += size as number;
    if (end !== undefined && bytes > PAGE_BYTES) break;
    end = rev as Revision;
  }
  return end === undefined ? [] : connection.prepare(FEED_STATEMENTS.changes).all(after, end).map(changeOf);
}
