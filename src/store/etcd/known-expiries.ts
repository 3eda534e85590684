import { createBoundedCache } from '../../cache/bounded-cache.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';

const MOST = 4096;

/**
 * When the events expire that were read or written lately. A replace and a removal have to delete the old entry of the
 * expiry index, whose key holds the moment: mostly the event was read just before, so that no further read is needed.
 * The transaction compares the revision, so what is remembered of another revision does no harm.
 */
export interface KnownExpiries {
  note(record: EventRecord): void;
  /** When the event at this revision expires, if that is remembered. */
  at(key: EventKey, revision: Revision): number | undefined;
}

/** Remembers 4,096. */
export function createKnownExpiries(): KnownExpiries {
  const known = createBoundedCache<string, { readonly revision: Revision; readonly expiresAt: number }>({
    maxEntries: MOST,
  });
  const idOf = ({ namespace, name }: EventKey): string => `${namespace}/${name}`;
  return {
    note({ key, revision, expiresAt }) {
      known.set(idOf(key), { revision, expiresAt });
    },
    at(key, revision) {
      const found = known.get(idOf(key));
      return found?.revision === revision ? found.expiresAt : undefined;
    },
  };
}
