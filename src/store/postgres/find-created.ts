import { expired } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { encodeSidecar } from '../sidecar/sidecar.js';
import type { UnknownOutcomeOptions } from '../unknown-outcomes.js';
import { quoted } from './names.js';
import type { Reads } from './reads.js';
import { EVENT_COLUMNS, numberOf, recordOfRow } from './rows.js';

/** What a create has written, even if it was changed since. Fails with `expired` when the log no longer shows it. */
export function createFindCreated(reads: Reads, schema: string): NonNullable<UnknownOutcomeOptions['findCreated']> {
  const s = quoted(schema);
  const statement = {
    name: `${schema}.created`,
    text: `SELECT m.forgotten::text, (SELECT c.revision FROM ${s}.counter c)::text AS revision,
  pg_is_in_recovery()::text AS standby, ${EVENT_COLUMNS}
FROM ${s}.meta m
LEFT JOIN ${s}.versions v ON v.key = $1::text AND v.rev > $3::bigint AND v.previous IS NULL
  AND v.description = $2::text`,
  };
  return (key, event) => {
    const begun = reads.seen;
    return async (signal) => {
      // It may have begun by waiting until the store was open.
      const since = Math.max(begun, reads.first);
      const [row] = await reads.read(statement, [keyText(key), encodeSidecar(event), String(since)], signal);
      if (row !== undefined && row['key'] !== null) return recordOfRow(row);
      const forgotten = numberOf(row?.['forgotten']);
      if (forgotten > since) throw expired(since, forgotten);
      return undefined;
    };
  };
}
