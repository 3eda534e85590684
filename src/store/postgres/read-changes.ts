import type { Change, Revision } from '../contract/event-store.js';
import { expired } from '../contract/conditions.js';
import { keyOfText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';
import { quoted } from './names.js';
import type { Reads } from './reads.js';
import type { Row } from './requests.js';
import { hasPassed } from './schema-lift.js';
import { EVENT_COLUMNS, numberOf, recordOf, recordOfRow } from './rows.js';

const MAX_ROWS = 500;
/** The most bytes of events in a page of changes, unless a single change is larger. Previous states are not counted. */
const MAX_BYTES = 4_194_304;

function changeOf(row: Row): Change {
  const key = keyOfText(row['key'] ?? '');
  const revision = numberOf(row['rev']);
  const previous = row['previous'] === null ? undefined : recordOf(key, numberOf(row['previous']), row, 'p_');
  if (row['deleted'] === 'true') {
    if (previous === undefined) throw storeError('unavailable', 'PostgreSQL: a deletion without the state before it');
    return { type: 'delete', key, revision, record: { ...previous, revision }, previous };
  }
  return { type: 'put', key, revision, record: recordOfRow(row), ...(previous && { previous }) };
}

/**
 * The next changes after a revision, empty when there are none. Rows and floor are read in one statement; since writers
 * commit one after the other, in the order of their revisions, nothing can appear later below what was seen, nor, where
 * there are none, below the latest revision.
 */
export async function readChanges(
  reads: Reads,
  schema: string,
  after: Revision,
  onNothing: (after: Revision, latest: Revision) => void,
): Promise<readonly Change[]> {
  const s = quoted(schema);
  const statement = {
    name: `${schema}.changes`,
    text: `WITH state AS MATERIALIZED (
  SELECT (SELECT m.floor FROM ${s}.meta m) AS floor, (SELECT c.revision FROM ${s}.counter c) AS revision,
    pg_is_in_recovery() AS standby
), next AS MATERIALIZED (
  SELECT v.rev, coalesce(octet_length(v.data), 0) AS size FROM ${s}.versions v
  WHERE v.rev > $1::bigint ORDER BY v.rev LIMIT ${MAX_ROWS}
), page AS MATERIALIZED (
  SELECT rev FROM (
    SELECT rev, sum(size) OVER (ORDER BY rev) - size AS before FROM next
  ) sized WHERE before < ${MAX_BYTES}
)
SELECT state.floor::text, ${hasPassed(s, '$1::bigint')} AS passed, state.revision::text, state.standby::text, ${EVENT_COLUMNS}, v.deleted::text, v.previous::text,
  p.expires_at::text AS p_expires_at, p.description AS p_description, encode(p.data, 'hex') AS p_data
FROM state
LEFT JOIN (page JOIN ${s}.versions v ON v.rev = page.rev) ON true
LEFT JOIN ${s}.versions p ON p.rev = v.previous
ORDER BY v.rev`,
  };
  const rows = await reads.read(statement, [String(Math.min(Math.floor(after), Number.MAX_SAFE_INTEGER))]);
  const [first] = rows;
  const floor = numberOf(first?.['floor']);
  if (after < floor || first?.['passed'] === 'false') throw expired(after, floor);
  if (first?.['key'] !== null) return rows.map(changeOf);
  onNothing(after, numberOf(first['revision']));
  return [];
}
