import { parseGoDuration } from '../../time/go-duration.js';
import { badTimeoutMessage } from '../../responses/failure-status.js';
import { badRequest } from '../status/failures.js';
import { first, type Query } from './query.js';

/** The default time limit of requests except watches (Kubernetes: `--request-timeout`). */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * The time limit of a request, in milliseconds: `?timeout=`, a Go duration, if it is positive and shorter than the
 * general limit. Read before authentication.
 *
 * @param mostMs the general limit
 * @throws StatusError 400
 */
export function requestTimeoutMs(query: Query, mostMs: number = REQUEST_TIMEOUT_MS): number {
  const text = first(query, 'timeout') ?? '';
  if (text === '') return mostMs;
  const duration = parseGoDuration(text);
  if ('fault' in duration) throw badRequest(badTimeoutMessage(duration.fault));
  return duration.ms > 0 && duration.ms < mostMs ? duration.ms : mostMs;
}
