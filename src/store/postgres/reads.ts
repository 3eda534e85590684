import type { Revision } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { PostgresValue } from './client.js';
import { quoted } from './names.js';
import type { Row, Statement, StoreParts } from './requests.js';
import { numberOf } from './rows.js';

export type Reads = ReturnType<typeof createReads>;

/** Reads that notice a database that went back, as after a restored backup. `onLifted`: feeds have to check again. */
export function createReads(
  { requests, schema, timeoutMs }: Pick<StoreParts, 'requests' | 'schema' | 'timeoutMs'>,
  onLifted: (latest: Revision) => void,
) {
  const lift = {
    name: `${schema}.lift`,
    text: `SELECT set_config('lock_timeout', $2::text, true) AS waits, ${quoted(schema)}.lift($1::bigint)::text AS revision`,
  };
  let seen = 0;
  let first: Revision | undefined;
  const saw = (revision: Revision): void => {
    first ??= revision;
    seen = Math.max(seen, revision);
  };

  return {
    get seen(): Revision {
      return seen;
    },
    /** The revision at which the store was opened; 0: it is not open. */
    get first(): Revision {
      return first ?? 0;
    },
    saw: (revision: Revision): void => saw(revision),
    /**
     * Sends a statement whose first row has the columns `revision` (the counter) and `standby`. If the counter is
     * behind the revision known when it was sent, revisions are raised above that, and the statement is sent once more.
     */
    async read(statement: Statement, values: readonly PostgresValue[], signal?: AbortSignal): Promise<readonly Row[]> {
      for (let round = 0; ; round++) {
        // Not the one known when the response arrives: a write may have been faster.
        const known = seen;
        const rows = await requests.read(statement, values, signal);
        const [first] = rows;
        // Only the primary may be read, because the data of a standby may be stale.
        if (first?.['standby'] === 'true') {
          throw storeError('unavailable', 'PostgreSQL: the server is a standby now: connect to the primary');
        }
        const latest = numberOf(first?.['revision']);
        if (latest >= known) {
          saw(latest);
          return rows;
        }
        if (round > 0) break;
        const [lifted] = await requests.read(lift, [String(known), `${timeoutMs}`]);
        saw(numberOf(lifted?.['revision']));
        onLifted(seen);
      }
      throw storeError(
        'unavailable',
        'PostgreSQL: the latest revision is lower than one returned before, and raising it had no effect',
      );
    },
  };
}
