import type { Event } from '../../model/event.js';
import type { Occurrence } from './occurrence.js';

/** Equal events: one object on the server, and how much of it has been written. */
export interface Series extends Occurrence {
  /** As it is created, without `series`. Its name changes only when another event has that name. */
  readonly event: Event & { readonly metadata: { name: string } };
  count: number;
  /** When it was recorded last, microseconds since the epoch. */
  lastMicros: number;
  /** The same on the monotonic clock. */
  lastSeen: number;
  /** The count on the server. */
  written: number;
  /** When that count was written, on the monotonic clock. */
  writtenAt: number;
  /** Since when there is something to write, on the monotonic clock. */
  waitingSince: number;
  /** The event's resourceVersion; empty where it is not known, undefined where the server has no such event. */
  version: string | undefined;
  /** Waits for a lane, or is being written. */
  busy: boolean;
  dropped: boolean;
}

/** A series without an occurrence. */
export function newSeries({ event, ...rest }: Occurrence, name: string, eventTime: string): Series {
  return {
    ...rest,
    event: { ...event, metadata: { ...event.metadata, name }, eventTime },
    count: 0,
    lastMicros: 0,
    lastSeen: 0,
    written: 0,
    writtenAt: 0,
    waitingSince: 0,
    version: undefined,
    busy: false,
    dropped: false,
  };
}

/** The most memory of the series that equal events can continue. */
const MAX_BYTES = 33_554_432;

/** The series that equal events continue, the last used last. One ends after `idleMs` without an equal event. */
export function createSeriesTable(maxSeries: number, idleMs: number, evicted: (series: Series) => void) {
  const table = new Map<string, Series>();
  let bytes = 0;
  const forget = (series: Series): void => {
    if (table.get(series.key) !== series) return;
    table.delete(series.key);
    bytes -= series.bytes;
  };
  const evict = (series: Series): void => {
    forget(series);
    evicted(series);
  };
  return {
    /** The series of a key, which becomes the last used; undefined when it has ended. */
    find(key: string, now: number): Series | undefined {
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
    add(series: Series): void {
      table.set(series.key, series);
      bytes += series.bytes;
      for (const oldest of table.values()) {
        if (table.size <= maxSeries && bytes <= MAX_BYTES) break;
        evict(oldest);
      }
    },
    remove: forget as (series: Series) => void,
    size: (): number => table.size,
  };
}
