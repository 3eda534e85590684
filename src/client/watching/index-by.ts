import type { Event } from '../../model/event.js';

/** Returns the values under which an event is found; without a value it is not in the index. */
export type EventIndexer = (event: Event) => readonly string[] | string | undefined;

/** `failed` is called when an indexer throws; the event is then not in its index. */
export function createIndexes(
  indexers: Readonly<Record<string, EventIndexer>>,
  failed: (index: string, error: unknown) => void,
) {
  const indexes = Object.entries(indexers).map(([name, indexer]) => {
    const byValue = new Map<string, Map<string, Event>>();
    /** Kept, because an indexer need not return the same values again. */
    const valuesOf = new Map<string, readonly string[]>();
    return { name, indexer, byValue, valuesOf };
  });

  const values = (name: string, indexer: EventIndexer, event: Event): readonly string[] => {
    try {
      const given = indexer(event) ?? [];
      return typeof given === 'string' ? [given] : [...new Set(given)];
    } catch (error) {
      failed(name, error);
      return [];
    }
  };

  return {
    changed(key: string, after: Event | undefined): void {
      for (const { name, indexer, byValue, valuesOf } of indexes) {
        for (const value of valuesOf.get(key) ?? []) {
          const found = byValue.get(value);
          found?.delete(key);
          if (found?.size === 0) byValue.delete(value);
        }
        valuesOf.delete(key);
        if (after === undefined) continue;
        const given = values(name, indexer, after);
        if (given.length > 0) valuesOf.set(key, given);
        for (const value of given) {
          const found = byValue.get(value);
          if (found === undefined) byValue.set(value, new Map([[key, after]]));
          else found.set(key, after);
        }
      }
    },
    find(index: string, value: string): readonly Event[] {
      const found = indexes.find(({ name }) => name === index);
      if (found === undefined) throw new TypeError(`byIndex: there is no indexer ${JSON.stringify(index)}`);
      return [...(found.byValue.get(value)?.values() ?? [])];
    },
  };
}
