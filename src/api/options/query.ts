import { badRequest, invalid } from '../status/failures.js';
import type { FieldError } from '../status/field-error.js';
import type { Query } from '../../http/url.js';
import { goQuote, shorten, toInt64 } from '../../json/go-print.js';
import { parseGoDuration } from '../../time/go-duration.js';
import { badTimeoutMessage } from '../../responses/failure-status.js';

export function first(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Throws a 422 that names every fault of the options, if there are any. */
export function refuseOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, '', errors, 'meta.k8s.io');
}

/** Booleans are lenient: `0` and `false` are false, anything else (also empty) is true. */
export function flag(query: Query, name: string): boolean | undefined {
  const value = first(query, name);
  if (value === undefined) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

/** A signed 64-bit integer, or 400 with Go's text. What a double cannot hold becomes the nearest safe integer. */
export function integer(query: Query, name: string): number | undefined {
  const value = first(query, name);
  if (value === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${goQuote(shorten(value))}: invalid syntax`);
  if (value.length < 16) return Number(value);
  const exact = value.length > 25 ? undefined : toInt64(value);
  if (exact === undefined) {
    throw badRequest(`strconv.ParseInt: parsing ${goQuote(shorten(value))}: value out of range`);
  }
  return Math.max(Math.min(Number(exact), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}

/** Go's error for a text that is not an unsigned 64-bit number; undefined for a valid one. */
export function uintError(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(shorten(text))}: invalid syntax`;
  const digits = text.replace(/^0+/, '');
  const tooLarge = digits.length > 20 || (digits.length === 20 && digits > '18446744073709551615');
  return tooLarge ? `strconv.ParseUint: parsing ${goQuote(shorten(text))}: value out of range` : undefined;
}

/** Takes a well-formed resourceVersion. One beyond the safe integers is in the future in any case. */
export function toRevision(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** The default time limit of requests except watches (Kubernetes: `--request-timeout`). */
export const REQUEST_TIMEOUT_MS = 60_000;

/** The time limit of a request: a positive `?timeout=` (a Go duration) below `maxMs`. @throws StatusFailure 400 */
export function requestTimeoutMs(query: Query, maxMs: number = REQUEST_TIMEOUT_MS): number {
  const text = first(query, 'timeout') ?? '';
  if (text === '') return maxMs;
  const duration = parseGoDuration(text);
  if ('fault' in duration) throw badRequest(badTimeoutMessage(duration.fault));
  return duration.ms > 0 && duration.ms < maxMs ? duration.ms : maxMs;
}
