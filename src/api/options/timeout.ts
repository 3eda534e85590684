import { parseGoDuration } from '../../time/go-duration.js';
import { badRequest } from '../status/failures.js';
import { first, type Query } from './query.js';

/** How long an ordinary request may take unless an option says otherwise (Kubernetes: `--request-timeout`). */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * How long a request may take, in milliseconds: `?timeout=`, a Go duration, where it is positive and shorter than what
 * everybody has. Read before anything is known of the caller.
 *
 * @param mostMs what everybody has
 * @throws StatusError 400
 */
export function requestTimeoutMs(query: Query, mostMs: number = REQUEST_TIMEOUT_MS): number {
  const text = first(query, 'timeout') ?? '';
  if (text === '') return mostMs;
  const duration = parseGoDuration(text);
  if ('fault' in duration) throw badRequest(`invalid timeout specified in the request URL - ${duration.fault}`);
  return duration.ms > 0 && duration.ms < mostMs ? duration.ms : mostMs;
}
