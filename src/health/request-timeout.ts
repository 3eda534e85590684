import { parseGoDuration } from '../time/go-duration.js';

/** Kubernetes: `--request-timeout`. Zero, negative and longer values mean this. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The limit that a request sets with `?timeout=`: milliseconds, or Go's error text. */
export type RequestTimeout = { readonly ms: number } | { readonly fault: string };

/** Reads `?timeout=`. `undefined` if there is none, or none shorter than {@link REQUEST_TIMEOUT_MS}. */
export function requestTimeout(text: string | undefined): RequestTimeout | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.ms > 0 && parsed.ms < REQUEST_TIMEOUT_MS ? parsed : undefined;
}
