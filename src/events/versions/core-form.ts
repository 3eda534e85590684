import type { Event, EventSeries } from '../../model/event.js';
import { CORE_FIELDS } from '../schema.js';

type Fields = Record<string, unknown>;

/** All fields but the two that say what the object is. */
const FIELDS = CORE_FIELDS.filter(([name]) => name !== 'kind' && name !== 'apiVersion');

const CORE_NAMES: ReadonlyMap<string, string> = new Map(FIELDS.map(([core, stored]) => [stored, core]));

/** Fields that are texts in core/v1 even when they are empty, and are left out of the stored form then. */
const ALWAYS_TEXT: ReadonlySet<string> = new Set(['reportingComponent', 'reportingInstance']);

/** What core/v1 calls a field of the stored form. */
export function coreName(stored: string): string {
  return CORE_NAMES.get(stored) ?? stored;
}

/** An event in its core/v1 form, without kind and apiVersion. Nothing is lost. Values are shared. */
export function toCore(event: Event): Fields {
  const stored = event as unknown as Readonly<Fields>;
  const object: Fields = {};
  for (const [core, name] of FIELDS) {
    const value = stored[name];
    if (value !== undefined) object[core] = name === 'series' ? coreSeries(value as EventSeries) : value;
    else if (ALWAYS_TEXT.has(core)) object[core] = '';
  }
  return object;
}

/** The stored form of a decoded core/v1 object. Values are shared. */
export function fromCore(object: Readonly<Fields>): Event {
  const event: Fields = {};
  for (const [core, name] of FIELDS) {
    const value = object[core];
    if (value === undefined || (value === '' && ALWAYS_TEXT.has(core))) continue;
    event[name] = name === 'series' ? { count: 0, ...(value as Partial<EventSeries>) } : value;
  }
  return event as unknown as Event;
}

/** A count of 0 is not written in core/v1. */
function coreSeries({ count, lastObservedTime }: EventSeries): Partial<EventSeries> {
  return count === 0 ? { lastObservedTime } : { count, lastObservedTime };
}
