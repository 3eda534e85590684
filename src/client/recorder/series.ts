import type { Event } from '../../model/event.js';
import type { Occurrence } from './occurrence.js';

/** Equal events: one object on the server, and how far it has come. */
export interface Series {
  readonly key: string;
  /** As it is created, but for `series`. Its name changes only when somebody else has an event of that name. */
  readonly event: Event & { readonly metadata: { name?: string } };
  readonly bytes: number;
  /** The object that it is about. */
  readonly source: string;
  /** How often it was recorded. */
  count: number;
  /** When it was recorded last, microseconds since the epoch. */
  lastMicros: number;
  /** The same on the monotonic clock. */
  lastSeen: number;
  /** The count that the server has. */
  written: number;
  /** When the server got it, on the monotonic clock. */
  writtenAt: number;
  /** Since when there is something to write, on the monotonic clock. */
  waitingSince: number;
  /** Whether the event is on the server, as far as is known. */
  exists: boolean;
  /** Its revision there, when that is known. */
  version: string | undefined;
  /** Waits for a lane, or is being written. */
  busy: boolean;
  /** Given up: nothing is written any more. */
  dropped: boolean;
}

/** A series of which nothing is counted yet. */
export function newSeries({ event, ...rest }: Occurrence, name: string, eventTime: string, now: number): Series {
  return {
    ...rest,
    event: { ...event, metadata: { ...event.metadata, name }, eventTime },
    count: 0,
    lastMicros: 0,
    lastSeen: now,
    written: 0,
    writtenAt: now,
    waitingSince: now,
    exists: false,
    version: undefined,
    busy: false,
    dropped: false,
  };
}

/** The series that equal events continue. */
export interface SeriesTable {
  /** The series of a key, which is then the last to go; undefined when it has ended. */
  find(key: string, now: number): Series | undefined;
  /** Adds one, and lets those go that were used longest ago while there are too many. */
  add(series: Series): void;
  remove(series: Series): void;
  size(): number;
}

/** What {@link createSeriesTable} needs. */
export interface SeriesTableOptions {
  readonly maxSeries: number;
  readonly maxBytes: number;
  /** After how long without an equal event a series ends, in milliseconds. */
  readonly idleMs: number;
  /** Told of every series that has to go. */
  readonly evicted: (series: Series) => void;
}

/** Makes a {@link SeriesTable}. Its map is in the order of use. */
export function createSeriesTable({ maxSeries, maxBytes, idleMs, evicted }: SeriesTableOptions): SeriesTable {
  const table = new Map<string, Series>();
  let bytes = 0;
  const remove = (series: Series): void => {
    if (table.get(series.key) !== series) return;
    table.delete(series.key);
    bytes -= series.bytes;
  };
  const evict = (series: Series): void => {
    remove(series);
    evicted(series);
  };
  return {
    find(key, now) {
      const series = table.get(key);
      if (series === undefined) return undefined;
      if (now - series.lastSeen >= idleMs) {
        evict(series);
        return undefined;
      }
      table.delete(key);
      table.set(key, series);
      return series;
    },
    add(series) {
      table.set(series.key, series);
      bytes += series.bytes;
      for (const oldest of table.values()) {
        if (table.size <= maxSeries && bytes <= maxBytes) break;
        evict(oldest);
      }
    },
    remove,
    size: () => table.size,
  };
}
