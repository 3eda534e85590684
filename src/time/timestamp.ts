/** `time` has whole seconds, `micro-time` six fractional digits. */
export type TimeType = 'time' | 'micro-time';

/** Go's zero time, which means unset: 1 January of year 1, in seconds since the epoch. */
export const ZERO_SECONDS = -62_135_596_800;
/** The first second of year 0, the earliest that four digits can write. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

export interface Timestamp {
  /** Since 1970, may be negative. */
  readonly seconds: number;
  /** Counts forward in time, also before 1970. */
  readonly nanos: number;
}

/** The position of the six digits in a canonical micro-time, and of the end of its seconds. */
const SECONDS_END = 19;
const MICROS_START = 20;
const MICROS_END = 26;

/** The time of a canonical text: `2024-03-05T06:07:08Z`, with six more digits for a micro-time. */
export function timestampOf(text: string, type: TimeType): Timestamp {
  const seconds = Date.parse(`${text.slice(0, SECONDS_END)}Z`) / 1000;
  return { seconds, nanos: type === 'time' ? 0 : Number(text.slice(MICROS_START, MICROS_END)) * 1000 };
}

/** The text, truncated to the type's precision; `null` for Go's zero time, undefined outside the years 0 to 9999. */
export function timeText({ seconds, nanos }: Timestamp, type: TimeType): string | null | undefined {
  const micros = type === 'time' ? 0 : Math.trunc(nanos / 1000);
  const whole = seconds + Math.floor(micros / 1e6);
  const rest = micros - Math.floor(micros / 1e6) * 1e6;
  if (whole === ZERO_SECONDS && rest === 0) return null;
  if (!(whole >= FIRST_SECOND && whole <= LAST_SECOND)) return undefined;
  const text = new Date(whole * 1000).toISOString().slice(0, SECONDS_END);
  return type === 'time' ? `${text}Z` : `${text}.${String(rest).padStart(6, '0')}Z`;
}

/** Writes microseconds since the epoch as a micro-time. For times of a clock: none before 1970. */
export function microTime(micros: number): string {
  return `${new Date(micros / 1_000).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`;
}

/** Writes microseconds as whole seconds in RFC 3339. Caches the last: a create formats it twice, for 0.6 µs each. */
export function createWholeSeconds(): (micros: number) => string {
  let second = NaN;
  let text = '';
  return (micros) => {
    const asked = Math.floor(micros / 1_000_000);
    if (asked !== second) {
      text = `${new Date(asked * 1000).toISOString().slice(0, 19)}Z`;
      second = asked;
    }
    return text;
  };
}
