import type { Revision } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { PostgresValue } from './client.js';
import { quoted } from './names.js';
import type { Row, Statement, StoreParts } from './requests.js';
import { numberOf, refuseStandby } from './rows.js';

/**
 * Reads that notice when the database went back to an earlier state: after a fail-over to a standby that lagged, or the
 * restore of a backup.
 */
export interface Reads {
  /** The latest revision that any answer brought. */
  readonly seen: Revision;
  /** An answer brought this one. */
  saw(revision: Revision): void;
  /**
   * Sends a statement whose first row has the columns `revision` (the counter) and `standby`. Where the counter is behind
   * what was known when it was sent, revisions are raised above that, and the statement is sent once more.
   */
  read(statement: Statement, values: readonly PostgresValue[], signal?: AbortSignal): Promise<readonly Row[]>;
}

/** Makes the {@link Reads} of a store. `onLifted`: revisions were raised, feeds look again. */
export function createReads(
  { requests, schema, timeoutMs }: Pick<StoreParts, 'requests' | 'schema' | 'timeoutMs'>,
  onLifted: (latest: Revision) => void,
): Reads {
  const lift = {
    name: `${schema}.lift`,
    text: `SELECT ${quoted(schema)}.lift($1::bigint)::text AS revision, set_config('lock_timeout', $2::text, true) AS waits`,
  };
  let seen = 0;
  const saw = (revision: Revision): void => {
    if (revision > seen) seen = revision;
  };

  return {
    get seen() {
      return seen;
    },
    saw,
    async read(statement, values, signal) {
      for (let round = 0; ; round++) {
        // Not what is known when the answer comes: a write may have been faster.
        const known = seen;
        const rows = await requests.read(statement, values, signal);
        const [first] = rows;
        refuseStandby(first);
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
      throw storeError('unavailable', 'PostgreSQL: the server is behind what it said before, and stays so');
    },
  };
}
