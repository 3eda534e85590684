import { shorten } from '../json/go-print.js';

/** `time` has whole seconds, `micro-time` six fractional digits. */
export type TimeType = 'time' | 'micro-time';

/** A time in its canonical UTC form, null for Go's zero time, or the error of Go's parser. */
export type ParsedTime = { readonly value: string | null } | { readonly error: string };

const LAYOUT: Readonly<Record<TimeType, string>> = {
  time: '2006-01-02T15:04:05Z07:00',
  'micro-time': '2006-01-02T15:04:05.000000Z07:00',
};

/** Go's zero time, which means unset: the first of January of the year 1. */
export const ZERO_SECONDS = -62_135_596_800;
/** The first second of the year 0, the earliest that four digits can write. */
export const FIRST_SECOND = -62_167_219_200;
/** The last second of 9999. */
export const LAST_SECOND = 253_402_300_799;

/**
 * Reads a time as Kubernetes does (RFC 3339, with the leniencies of Go's parser: any offset, a comma for the decimal
 * point, an hour of one digit) and brings it to its canonical form. A `micro-time` may have any number of fractional
 * digits, those after the sixth are cut off; Kubernetes insists on six.
 */
export function parseTime(text: string, type: TimeType): ParsedTime {
  if (isCanonical(text, type)) return { value: text };
  return new TimeReader(text, type).read();
}

/** The error for a text that is not a time; undefined for a valid one. */
export function timeError(text: string, type: TimeType): string | undefined {
  const parsed = parseTime(text, type);
  return 'error' in parsed ? parsed.error : undefined;
}

const CANONICAL: Readonly<Record<TimeType, RegExp>> = {
  time: /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  'micro-time': /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
};

/** Fast path for common times, without days that need a calendar. */
function isCanonical(text: string, type: TimeType): boolean {
  return CANONICAL[type].test(text);
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

function daysIn(month: number, year: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Quotes as Go's time package does: bytes beyond printable ASCII as `\\xNN`. */
function quote(text: string): string {
  const quoted = shorten(text).replace(/["\\]/g, '\\$&');
  if (/^[ -~]*$/.test(quoted)) return `"${quoted}"`;
  let out = '';
  for (const byte of new TextEncoder().encode(quoted)) {
    out += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `"${out}"`;
}

/** One pass over the text in the order of Go's `time.Parse`, with its error texts. */
class TimeReader {
  private rest: string;
  private failure: string | undefined;
  private readonly text: string;
  private readonly type: TimeType;

  constructor(text: string, type: TimeType) {
    this.text = text;
    this.type = type;
    this.rest = text;
  }

  read(): ParsedTime {
    const year = this.year();
    this.literal('-');
    const month = this.number('01', true, 'month', 1, 12);
    this.literal('-');
    const day = this.number('02', true);
    this.literal('T');
    const hour = this.number('15', false, 'hour', 0, 23);
    this.literal(':');
    const minute = this.number('04', true, 'minute', 0, 59);
    this.literal(':');
    const second = this.number('05', true, 'second', 0, 59);
    const micros = this.fraction();
    const offset = this.zone();
    if (this.failure === undefined && this.rest !== '') this.message(`: extra text: ${quote(this.rest)}`);
    if (day < 1 || day > daysIn(month, year)) this.message(': day out of range');
    if (this.failure !== undefined) return { error: this.failure };
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
    return this.written(seconds, micros);
  }

  private written(seconds: number, micros: string): ParsedTime {
    const plain = this.type === 'time';
    if (seconds === ZERO_SECONDS && (plain || micros === '000000')) return { value: null };
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND) {
      this.message(': year out of range');
      return { error: this.failure as string };
    }
    const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
    return { value: plain ? `${whole}Z` : `${whole}.${micros}Z` };
  }

  /** Keeps the first error. */
  private message(text: string): void {
    this.failure ??= `parsing time ${quote(this.text)}${text}`;
  }

  private refuse(element: string, at: string = this.rest): void {
    this.message(` as ${quote(LAYOUT[this.type])}: cannot parse ${quote(at)} as ${quote(element)}`);
  }

  private literal(char: string): void {
    if (this.failure !== undefined) return;
    if (this.rest.startsWith(char)) this.rest = this.rest.slice(1);
    else this.refuse(char);
  }

  private year(): number {
    for (let at = 0; at < 4; at++) {
      if (!isDigit(this.rest, at)) {
        this.refuse('2006');
        return 0;
      }
    }
    const year = Number(this.rest.slice(0, 4));
    this.rest = this.rest.slice(4);
    return year;
  }

  private number(element: string, twoDigits: boolean, name = '', least = 0, most = 99): number {
    if (this.failure !== undefined) return 1;
    const two = isDigit(this.rest, 1);
    if (!isDigit(this.rest, 0) || (!two && twoDigits)) {
      this.refuse(element);
      return 1;
    }
    const value = Number(this.rest.slice(0, two ? 2 : 1));
    this.rest = this.rest.slice(two ? 2 : 1);
    if (value < least || value > most) this.message(`: ${name} out of range`);
    return value;
  }

  /** Six digits of microseconds. */
  private fraction(): string {
    const mark = this.rest.charCodeAt(0);
    if (this.failure !== undefined || (mark !== 46 && mark !== 44)) return '000000';
    let end = 1;
    while (isDigit(this.rest, end)) end++;
    if (end === 1) {
      // Go reads a separator without digits as the zone, unless its layout has a fraction.
      this.refuse(this.type === 'time' ? 'Z07:00' : '.000000');
      return '000000';
    }
    const digits = this.rest.slice(1, Math.min(end, 7)).padEnd(6, '0');
    this.rest = this.rest.slice(end);
    return digits;
  }

  /** Seconds east of UTC. */
  private zone(): number {
    if (this.failure !== undefined) return 0;
    if (this.rest.startsWith('Z')) {
      this.rest = this.rest.slice(1);
      return 0;
    }
    const match = /^([+-])(\d\d):(\d\d)/.exec(this.rest);
    if (!match) {
      this.refuse('Z07:00');
      return 0;
    }
    this.rest = this.rest.slice(6);
    const hours = Number(match[2]);
    const minutes = Number(match[3]);
    if (hours > 24) this.message(': time zone offset hour out of range');
    else if (minutes > 60) this.message(': time zone offset minute out of range');
    const seconds = (hours * 60 + minutes) * 60;
    return match[1] === '-' ? -seconds : seconds;
  }
}
