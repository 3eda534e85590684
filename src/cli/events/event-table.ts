import type { Event } from '../../client.js';
import { age } from '../../time/human-duration.js';
import { safeText } from '../../json/safe-text.js';
import { fieldText } from './field-text.js';

interface TableFormat {
  readonly withNamespace: boolean;
  readonly wide: boolean;
  /** Shows the header in bold, and types other than `Normal` in yellow. */
  readonly colour: boolean;
}

/** `now` in microseconds. */
type Cell = (event: Event, now: number) => string;

/** The columns, each with the property of the format that shows it. */
const COLUMNS: readonly (readonly [name: string, cell: Cell, shownBy?: 'withNamespace' | 'wide'])[] = [
  ['NAMESPACE', ({ metadata }) => metadata.namespace ?? '', 'withNamespace'],
  ['LAST SEEN', lastSeen],
  ['TYPE', ({ type }) => fieldText(type)],
  ['REASON', ({ reason }) => fieldText(reason)],
  ['OBJECT', object],
  ['SUBOBJECT', ({ regarding }) => fieldText(regarding?.fieldPath), 'wide'],
  ['SOURCE', source, 'wide'],
  ['MESSAGE', ({ note }) => fieldText(note).trim()],
  ['FIRST SEEN', (event, now) => age(firstTime(event), now), 'wide'],
  ['COUNT', (event) => String(countOf(event)), 'wide'],
  ['NAME', ({ metadata }) => metadata.name ?? '', 'wide'],
];

const GAP = '   ';
const WARNING = '\u001b[33m';
const BOLD = '\u001b[1m';
const RESET = '\u001b[0m';

/** A longer cell does not widen its column: every line would be as long as the longest message. */
const MAX_WIDTH = 1_024;
const widthOf = ({ length }: string): number => (length > MAX_WIDTH ? 0 : length);

/** How many rows are one part of the text. */
const ROWS = 1_000;

/**
 * Lays out events in columns as wide as the widest cell so far. The first call returns the header, too. Returns the
 * parts of the text, which may be longer than a string can be.
 */
export function createEventTable(format: TableFormat): (events: readonly Event[]) => Iterable<string> {
  const columns = COLUMNS.filter(([, , shownBy]) => shownBy === undefined || format[shownBy]);
  const head = columns.map(([name]) => name);
  const widths = head.map((name) => name.length);
  const typeAt = head.indexOf('TYPE');
  let begun = false;

  const line = (cells: readonly string[], paint: (text: string, at: number) => string): string => {
    const padded = cells.map((cell, at) => {
      const padding = at === cells.length - 1 ? 0 : Math.max(0, (widths[at] ?? 0) - cell.length);
      return paint(cell, at) + ' '.repeat(padding);
    });
    return `${padded.join(GAP).trimEnd()}\n`;
  };
  const paintHead = (text: string): string => (format.colour ? `${BOLD}${text}${RESET}` : text);
  const paintCell = (text: string, at: number): string =>
    format.colour && at === typeAt && text !== 'Normal' && text !== '' ? `${WARNING}${text}${RESET}` : text;

  return function* (events) {
    const now = Date.now() * 1_000;
    const rowOf = (event: Event): readonly string[] => columns.map(([, cell]) => safeText(cell(event, now)));
    for (const event of events) {
      rowOf(event).forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
    }
    if (!begun) yield line(head, paintHead);
    begun = true;
    for (let at = 0; at < events.length; at += ROWS) {
      const rows = events.slice(at, at + ROWS).map((event) => line(rowOf(event), paintCell));
      yield rows.join('');
    }
  };
}

/** `5m (x12 over 1h)` for repeated events, as `kubectl events` shows them. */
function lastSeen(event: Event, now: number): string {
  const count = countOf(event);
  const last = age(lastTime(event), now);
  return count > 1 ? `${last} (x${count} over ${age(firstTime(event), now)})` : last;
}

function countOf({ series, deprecatedCount }: Event): number {
  const counts: readonly unknown[] = [series?.count, deprecatedCount || 1];
  return counts.find((count) => typeof count === 'number') ?? 1;
}

function firstTime({ deprecatedFirstTimestamp, eventTime, metadata }: Event): string | undefined {
  return deprecatedFirstTimestamp ?? eventTime ?? metadata.creationTimestamp;
}

function lastTime(event: Event): string | undefined {
  return event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? firstTime(event);
}

/** When an event was last seen, in milliseconds since 1970; 0 if it has no time. */
export function lastSeenAt(event: Event): number {
  return Date.parse(fieldText(lastTime(event))) || 0;
}

function object({ regarding }: Event): string {
  const kind = fieldText(regarding?.kind);
  const name = fieldText(regarding?.name);
  return name === '' ? kind : `${kind}/${name}`;
}

function source({ deprecatedSource, reportingController, reportingInstance }: Event): string {
  const component = fieldText(deprecatedSource?.component || reportingController);
  const host = fieldText(deprecatedSource?.host || reportingInstance);
  return host ? `${component}, ${host}` : component;
}
