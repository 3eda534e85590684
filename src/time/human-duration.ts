import { ZERO_SECONDS } from './timestamp.js';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const YEAR = 365 * DAY;

/** The longest Go duration; longer spans are shown as this. */
const MAX_SECONDS = 9_223_372_036;

/** `12m` or `12m5s`: a whole number of the large unit and, unless zero, the rest in the small one. */
const pair = (seconds: number, large: number, unit: string, small: number, rest: string): string => {
  const left = Math.trunc((seconds % large) / small);
  return `${Math.trunc(seconds / large)}${unit}${left === 0 ? '' : `${left}${rest}`}`;
};

/** A span as `kubectl` shows ages: at most two units, truncated. `<invalid>` from −2 s, `0s` above that. */
export function humanDuration(spanSeconds: number): string {
  const seconds = Math.trunc(Math.min(spanSeconds, MAX_SECONDS));
  if (seconds < -1) return '<invalid>';
  if (seconds <= 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return pair(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return pair(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 48 * HOUR) return `${Math.trunc(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return pair(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return pair(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.trunc(seconds / YEAR)}y`;
}

/** The age of an RFC 3339 time at `now` (microseconds), for a Table: `<unknown>` for an unset, zero or invalid time. */
export function age(time: unknown, now: number): string {
  if (typeof time !== 'string') return '<unknown>';
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds) || milliseconds === ZERO_SECONDS * 1_000) return '<unknown>';
  const beyond = /\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? '';
  const microseconds = milliseconds * 1_000 + Number(beyond.padEnd(3, '0'));
  return humanDuration((now - microseconds) / 1_000_000);
}
