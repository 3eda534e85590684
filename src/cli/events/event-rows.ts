import type { Event } from '../../client.js';
import { age } from '../../time/human-duration.js';
import { safeText } from './safe-text.js';

export interface RowFormat {
  readonly withNamespace: boolean;
  /** Shows more columns, as `kubectl get events -o wide` does. */
  readonly wide: boolean;
}

/** The column that is coloured. */
export const TYPE_COLUMN = 'TYPE';

/** `now` in microseconds. */
type Cell = (event: Event, now: number) => string;

/** The columns, with the property of the format that shows one. */
const COLUMNS: readonly (readonly [name: string, cell: Cell, shownBy?: keyof RowFormat])[] = [
  ['NAMESPACE', ({ metadata }) => metadata.namespace ?? '', 'withNamespace'],
  ['LAST SEEN', lastSeen],
  [TYPE_COLUMN, ({ type }) => type ?? ''],
  ['REASON', ({ reason }) => reason ?? ''],
  [
    'OBJECT',
    ({ regarding }) => (regarding?.name ? `${regarding.kind ?? ''}/${regarding.name}` : (regarding?.kind ?? '')),
  ],
  ['SUBOBJECT', ({ regarding }) => regarding?.fieldPath ?? '', 'wide'],
  ['SOURCE', source, 'wide'],
  ['MESSAGE', ({ note }) => (note ?? '').trim()],
  ['FIRST SEEN', (event, now) => age(firstTime(event), now), 'wide'],
  ['COUNT', (event) => String(countOf(event)), 'wide'],
  ['NAME', ({ metadata }) => metadata.name ?? '', 'wide'],
];

function columnsOf(format: RowFormat): typeof COLUMNS {
  return COLUMNS.filter(([, , shownBy]) => shownBy === undefined || format[shownBy]);
}

export function headOf(format: RowFormat): readonly string[] {
  return columnsOf(format).map(([name]) => name);
}

/** The cells of an event, safe to be written to a terminal. `now` in microseconds. */
export function rowOf(event: Event, format: RowFormat, now: number): readonly string[] {
  return columnsOf(format).map(([, cell]) => safeText(cell(event, now)));
}

/** `5m (x12 over 1h)` for repeated events, as `kubectl events` shows them. */
function lastSeen(event: Event, now: number): string {
  const count = countOf(event);
  const last = age(lastTime(event), now);
  return count > 1 ? `${last} (x${count} over ${age(firstTime(event), now)})` : last;
}

function countOf({ series, deprecatedCount }: Event): number {
  return series?.count ?? (deprecatedCount || 1);
}

function firstTime({ deprecatedFirstTimestamp, eventTime, metadata }: Event): string | undefined {
  return deprecatedFirstTimestamp ?? eventTime ?? metadata.creationTimestamp;
}

function lastTime(event: Event): string | undefined {
  return event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? firstTime(event);
}

/** When an event was seen last, in milliseconds since 1970; 0 where it has no time. */
export function lastSeenAt(event: Event): number {
  return Date.parse(lastTime(event) ?? '') || 0;
}

function source({ deprecatedSource, reportingController, reportingInstance }: Event): string {
  const component = deprecatedSource?.component || reportingController || '';
  const host = deprecatedSource?.host || reportingInstance || '';
  return host ? `${component}, ${host}` : component;
}
