import type { EventKey, EventRecord, Revision } from '../record.js';

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

/** Remembers the latest 4,096. */
export function createKnownExpiries(): KnownExpiries {
  const known = new Map<string, { readonly revision: Revision; readonly expiresAt: number }>();
  const idOf = ({ namespace, name }: EventKey): string => `${namespace}/${name}`;
  return {
    note({ key, revision, expiresAt }) {
      const id = idOf(key);
      known.delete(id);
      known.set(id, { revision, expiresAt });
      if (known.size <= MOST) return;
      for (const oldest of known.keys()) {
        known.delete(oldest);
        return;
      }
    },
    at(key, revision) {
      const found = known.get(idOf(key));
      return found?.revision === revision ? found.expiresAt : undefined;
    },
  };
}
