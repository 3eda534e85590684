import { shorten } from '../json/go-print.js';
import { quote } from './quote.js';
import { timeText, type TimeType } from './timestamp.js';

/** A time in its canonical UTC form, null for Go's zero time, or the error of Go's parser. */
export type ParsedTime = { readonly value: string | null } | { readonly error: string };

const LAYOUT: Readonly<Record<TimeType, string>> = {
  time: '2006-01-02T15:04:05Z07:00',
  'micro-time': '2006-01-02T15:04:05.000000Z07:00',
};

/** Common times of either type, without the one day that needs a calendar. */
const CANONICAL =
  /^[1-9]\d{3}-(?!02-29|02-3|(?:0[469]|11)-31)(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/;
const LENGTH: Readonly<Record<TimeType, number>> = { time: 20, 'micro-time': 27 };

/**
 * Reads RFC 3339 as leniently as Go (any offset, a comma for the decimal point, an hour of one digit), and returns the
 * canonical form. Any number of fractional digits is read; Kubernetes requires six.
 */
export function parseTime(text: string, type: TimeType): ParsedTime {
  return text.length === LENGTH[type] && CANONICAL.test(text) ? { value: text } : readTime(text, type);
}

/** The elements of a date and a time: what precedes each, its name in a Go layout, its form, and its range. */
const ELEMENTS = [
  { before: '', layout: '2006', digits: /\d{4}/y, name: 'year', min: 0, max: 9999 },
  { before: '-', layout: '01', digits: /\d\d/y, name: 'month', min: 1, max: 12 },
  { before: '-', layout: '02', digits: /\d\d/y, name: 'day', min: 0, max: 99 },
  { before: 'T', layout: '15', digits: /\d\d?/y, name: 'hour', min: 0, max: 23 },
  { before: ':', layout: '04', digits: /\d\d/y, name: 'minute', min: 0, max: 59 },
  { before: ':', layout: '05', digits: /\d\d/y, name: 'second', min: 0, max: 59 },
] as const;
const FRACTION = /^[.,](\d*)/;
const ZONE = /^(?:Z|([+-])(\d\d):(\d\d))/;

/** One pass over the text in the order of Go's `time.Parse`, with its error texts. */
function readTime(text: string, type: TimeType): ParsedTime {
  const fault = (why: string): ParsedTime => ({ error: `parsing time ${quote(shorten(text))}${why}` });
  const unreadable = (rest: string, element: string): ParsedTime =>
    fault(` as ${quote(LAYOUT[type])}: cannot parse ${quote(shorten(rest))} as ${quote(element)}`);

  const values: number[] = [];
  let at = 0;
  for (const { before, layout, digits, name, min, max } of ELEMENTS) {
    if (!text.startsWith(before, at)) return unreadable(text.slice(at), before);
    at += before.length;
    digits.lastIndex = at;
    if (!digits.test(text)) return unreadable(text.slice(at), layout);
    const value = Number(text.slice(at, digits.lastIndex));
    at = digits.lastIndex;
    if (value < min || value > max) return fault(`: ${name} out of range`);
    values.push(value);
  }
  let rest = text.slice(at);
  const fraction = FRACTION.exec(rest);
  const digits = fraction?.[1] ?? '0';
  // Go reads a separator without digits as the zone, unless its layout has a fraction.
  if (digits === '') return unreadable(rest, type === 'time' ? 'Z07:00' : '.000000');
  if (fraction) rest = rest.slice(fraction[0].length);
  const zone = ZONE.exec(rest);
  if (!zone) return unreadable(rest, 'Z07:00');
  const hours = Number(zone[2] ?? 0);
  const minutes = Number(zone[3] ?? 0);
  if (hours > 24) return fault(': time zone offset hour out of range');
  if (minutes > 60) return fault(': time zone offset minute out of range');
  const extra = rest.slice(zone[0].length);
  if (extra !== '') return fault(`: extra text: ${quote(shorten(extra))}`);

  const [year, month, day, hour, minute, second] = values as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) return fault(': day out of range');
  const east = (hours * 60 + minutes) * (zone[1] === '-' ? -60 : 60);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - east;
  const value = timeText({ seconds, nanos: Number(digits.slice(0, 6).padEnd(6, '0')) * 1000 }, type);
  return value === undefined ? fault(': year out of range') : { value };
}
