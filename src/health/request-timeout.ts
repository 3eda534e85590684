import { goQuote } from './go-quote.js';

/** Milliseconds in a unit of a Go duration. */
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
const LONGEST_MS = 2 ** 63 / 1e6;

/** Kubernetes: `--request-timeout`. What is zero, negative or longer asks for this. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The limit a request sets itself with `?timeout=`: milliseconds, or what is wrong with it in Go's words. */
export type RequestTimeout = { readonly ms: number } | { readonly fault: string };

/** Reads `?timeout=`. `undefined` when there is none, or none shorter than the longest a health answer takes. */
export function requestTimeout(text: string | undefined): RequestTimeout | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = goDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.ms > 0 && parsed.ms < REQUEST_TIMEOUT_MS ? parsed : undefined;
}

function goDuration(text: string): RequestTimeout {
  const invalid = { fault: `time: invalid duration ${goQuote(text)}` };
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
    if (unit === '') return { fault: `time: missing unit in duration ${goQuote(text)}` };
    const factor = UNITS.get(unit);
    if (factor === undefined) return { fault: `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}` };
    ms += Number(`${digits || '0'}.${fraction || '0'}`) * factor;
    if (ms > LONGEST_MS) return invalid;
  }
  return { ms: negative ? -ms : ms };
}
