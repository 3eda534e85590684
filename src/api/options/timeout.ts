import { parseGoDuration } from '../../http/go-duration.js';
import { badRequest } from '../status/failures.js';
import { first, type Query } from './query.js';

/** How long an ordinary request may take, and the most it may ask for (Kubernetes: `--request-timeout`). */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * How long a request may take, in milliseconds: `?timeout=`, a Go duration, where it is positive and shorter than the 60 s
 * everybody has. Read before anything is known of the caller.
 *
 * @throws StatusError 400
 */
export function requestTimeoutMs(query: Query): number {
  const text = first(query, 'timeout') ?? '';
  if (text === '') return REQUEST_TIMEOUT_MS;
  const duration = parseGoDuration(text);
  if ('fault' in duration) throw badRequest(`invalid timeout specified in the request URL - ${duration.fault}`);
  return duration.ms > 0 && duration.ms < REQUEST_TIMEOUT_MS ? duration.ms : REQUEST_TIMEOUT_MS;
}
