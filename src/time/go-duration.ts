import { shorten } from '../json/go-print.js';
import { quote } from './quote.js';

/** In milliseconds. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Go counts durations in nanoseconds in 63 bits. */
const MAX_MS = 9_223_372_036_854.775_807;

/** The longest text read as a duration: 290 years in nanoseconds have 19 digits. */
const MAX_LENGTH = 64;

/** A Go duration such as `1h30m` or `1.5s`, or Go's error text. */
export function parseGoDuration(text: string): { readonly ms: number } | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: `time: invalid duration ${quote(shorten(text, MAX_LENGTH))}` };
  const invalid = { fault: `time: invalid duration ${quote(text)}` };
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return { ms: 0 };
  if (unsigned === '') return invalid;
  const part = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let ms = 0;
  while (part.lastIndex < unsigned.length) {
    const match = part.exec(unsigned);
    const [whole = '', digits, fraction = '', unit = ''] = match ?? [];
    if (whole === '' || (digits === '' && fraction === '')) return invalid;
    if (unit === '') return { fault: `time: missing unit in duration ${quote(text)}` };
    const factor = UNITS.get(unit);
    if (factor === undefined) return { fault: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
    ms += Number(`${digits || '0'}.${fraction || '0'}`) * factor;
    if (ms > MAX_MS) return invalid;
  }
  return { ms: negative ? -ms : ms };
}
