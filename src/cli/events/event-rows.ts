import type { Event } from '../../client.js';
import { age } from '../../time/human-duration.js';
import { safeText } from './safe-text.js';

/** How events are shown as rows. */
export interface RowFormat {
  /** All namespaces are shown, so that their names are. */
  readonly withNamespace: boolean;
  /** More columns, as of `kubectl get events -o wide`. */
  readonly wide: boolean;
}

type Cell = (event: Event, now: number) => string;

const NAMESPACE: readonly [string, Cell] = ['NAMESPACE', ({ metadata }) => metadata.namespace ?? ''];

/** The column that is coloured. */
export const TYPE_COLUMN = 'TYPE';

const LEADING: readonly (readonly [string, Cell])[] = [
  ['LAST SEEN', lastSeen],
  [TYPE_COLUMN, ({ type }) => type ?? ''],
  ['REASON', ({ reason }) => reason ?? ''],
  [
    'OBJECT',
    ({ regarding }) => (regarding?.name ? `${regarding.kind ?? ''}/${regarding.name}` : (regarding?.kind ?? '')),
  ],
];
const MESSAGE: readonly [string, Cell] = ['MESSAGE', ({ note }) => (note ?? '').trim()];
const WIDE_BEFORE: readonly (readonly [string, Cell])[] = [
  ['SUBOBJECT', ({ regarding }) => regarding?.fieldPath ?? ''],
  ['SOURCE', source],
];
const WIDE_BEHIND: readonly (readonly [string, Cell])[] = [
  ['FIRST SEEN', (event, now) => age(firstTime(event), now)],
  ['COUNT', (event) => String(countOf(event))],
  ['NAME', ({ metadata }) => metadata.name ?? ''],
];

function columnsOf({ withNamespace, wide }: RowFormat): readonly (readonly [string, Cell])[] {
  return [
    ...(withNamespace ? [NAMESPACE] : []),
    ...LEADING,
    ...(wide ? [...WIDE_BEFORE, MESSAGE, ...WIDE_BEHIND] : [MESSAGE]),
  ];
}

/** The names of the columns. */
export function headOf(format: RowFormat): readonly string[] {
  return columnsOf(format).map(([name]) => name);
}

/** The cells of an event, safe to be written to a terminal. `now` in microseconds. */
export function rowOf(event: Event, format: RowFormat, now: number): readonly string[] {
  return columnsOf(format).map(([, cell]) => safeText(cell(event, now)));
}

/** `5m (x12 over 1h)` for what was seen more than once, as `kubectl events` shows it. */
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

/** When an event was seen last, in milliseconds since 1970; 0 for one that does not say. */
export function lastSeenAt(event: Event): number {
  return Date.parse(lastTime(event) ?? '') || 0;
}

function source({ deprecatedSource, reportingController, reportingInstance }: Event): string {
  const component = deprecatedSource?.component || reportingController || '';
  const host = deprecatedSource?.host || reportingInstance || '';
  return host ? `${component}, ${host}` : component;
}
