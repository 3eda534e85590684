import type { Event } from '../../model/event.js';
import { revisionOf } from '../requests/revisions.js';

export interface Known {
  readonly revision: string;
  readonly uid: string;
  readonly event?: Event | undefined;
}

export interface Remembered {
  get(key: string): Known | undefined;
  set(key: string, event: Event): void;
  delete(key: string): void;
  /** Entries may be deleted during the iteration. */
  keys(): Iterable<string>;
}

/** Remembers name, UID and revision: one text for each event. */
export function rememberedVersions(): Remembered {
  const versions = new Map<string, string>();
  return {
    get(key) {
      const text = versions.get(key);
      if (text === undefined) return undefined;
      const space = text.indexOf(' ');
      return { revision: text.slice(0, space), uid: text.slice(space + 1) };
    },
    set(key, event) {
      // Joined, so that the texts do not keep the event's own bytes in memory.
      versions.set(key, [revisionOf(event), event.metadata.uid ?? ''].join(' '));
    },
    delete: (key) => void versions.delete(key),
    keys: () => versions.keys(),
  };
}

/** Remembers the events. `changing` is called before one is added, replaced or removed. */
export function rememberedEvents(
  events: Map<string, Event> = new Map<string, Event>(),
  changing?: (key: string, after: Event | undefined) => void,
): Remembered {
  return {
    get(key) {
      const event = events.get(key);
      return event && { revision: revisionOf(event), uid: event.metadata.uid ?? '', event };
    },
    set(key, event) {
      changing?.(key, event);
      events.set(key, event);
    },
    delete(key) {
      changing?.(key, undefined);
      events.delete(key);
    },
    keys: () => events.keys(),
  };
}
