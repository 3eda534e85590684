import { createBoundedCache } from '../../cache/bounded-cache.js';
import { bytesOf, prepareAll, type SqlConnection } from './driver.js';

/** A storm of events is about a few thousand objects at a time. Looking one up takes 4 µs of a create's 40. */
const CACHED = 4096;

/**
 * The statements for objects; a test checks their plans. Only history whose last event was deleted, or is about another
 * object now, shows that one is not needed. node:sqlite of Node 22 binds an empty blob as NULL.
 */
export const OBJECT_STATEMENTS = {
  find: `SELECT id FROM objects INDEXED BY objects_name WHERE name = coalesce(?, x'') AND uid = coalesce(?, x'')`,
  add: `INSERT INTO objects (id, name, uid) VALUES (?, coalesce(?, x''), coalesce(?, x''))`,
  last: 'SELECT id FROM objects ORDER BY id DESC LIMIT 1',
  remove: `DELETE FROM objects WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM current_events INDEXED BY current_object WHERE object = objects.id)
    AND NOT EXISTS (SELECT 1 FROM ended_versions INDEXED BY ended_object WHERE object = objects.id AND kind > 0)
    RETURNING name, uid`,
};

const NONE = new Uint8Array();
const latin1 = new TextDecoder('latin1');
const cacheKey = (name: Uint8Array, uid: Uint8Array): string =>
  `${name.length}:${latin1.decode(name)}${latin1.decode(uid)}`;

export type ObjectNumbers = ReturnType<typeof createObjectNumbers>;

export function createObjectNumbers(connection: SqlConnection) {
  const statements = prepareAll(connection, OBJECT_STATEMENTS);
  const numbers = createBoundedCache<string, number>({ maxEntries: CACHED });
  let last: number | undefined;

  const add = (name: Uint8Array, uid: Uint8Array): number => {
    last = ((last ?? statements.last.get()?.['id'] ?? 0) as number) + 1;
    statements.add.run(last, name, uid);
    return last;
  };

  return {
    /** The object's number, a new one if need be; null without name and uid. */
    numberOf(name: Uint8Array = NONE, uid: Uint8Array = NONE): number | null {
      if (name.length === 0 && uid.length === 0) return null;
      const key = cacheKey(name, uid);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = (statements.find.get(name, uid)?.['id'] as number | undefined) ?? add(name, uid);
      numbers.set(key, number);
      return number;
    },
    /** Removes those of the objects that no row is about any more. */
    release(objects: Iterable<number>): void {
      for (const object of objects) {
        const removed = statements.remove.get(object);
        if (removed !== undefined) numbers.delete(cacheKey(bytesOf(removed['name']), bytesOf(removed['uid'])));
      }
    },
    rolledBack(): void {
      numbers.clear();
      last = undefined;
    },
  };
}
