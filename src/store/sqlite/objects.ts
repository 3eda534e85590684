import { createBoundedCache } from '../../cache/bounded-cache.js';
import { prepareAll, type SqlConnection } from './driver.js';
import { encoded, textOf } from './stored.js';

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

/** As in the file, where a lone surrogate becomes U+FFFD. */
const cacheKey = (name: string, uid: string): string => `${name.length}:${name}${uid}`.toWellFormed();

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
    numberOf(name = '', uid = ''): number | null {
      if (name === '' && uid === '') return null;
      const key = cacheKey(name, uid);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const values = [encoded(name), encoded(uid)] as const;
      const number = (statements.find.get(...values)?.['id'] as number | undefined) ?? add(...values);
      numbers.set(key, number);
      return number;
    },
    /** Removes those of the objects that no row is about any more. */
    release(objects: Iterable<number>): void {
      for (const object of objects) {
        const removed = statements.remove.get(object);
        if (removed !== undefined) numbers.delete(cacheKey(textOf(removed['name']), textOf(removed['uid'])));
      }
    },
    rolledBack(): void {
      numbers.clear();
      last = undefined;
    },
  };
}
