import { parseGoDuration } from '../time/go-duration.js';

/** Kubernetes: `--request-timeout`. What is zero, negative or longer asks for this. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The limit a request sets itself with `?timeout=`: milliseconds, or what is wrong with it in Go's words. */
export type RequestTimeout = { readonly ms: number } | { readonly fault: string };

/** Reads `?timeout=`. `undefined` when there is none, or none shorter than the longest a health answer takes. */
export function requestTimeout(text: string | undefined): RequestTimeout | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.ms > 0 && parsed.ms < REQUEST_TIMEOUT_MS ? parsed : undefined;
}
