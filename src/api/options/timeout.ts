import { parseGoDuration } from '../../http/go-duration.js';
import { badRequest } from '../status/failures.js';
import { first, type Query } from './query.js';

/** `?timeout=` must be a Go duration; checked before anything is known of the caller. @throws StatusError 400 */
export function requireTimeout(query: Query): void {
  const text = first(query, 'timeout') ?? '';
  if (text === '') return;
  const duration = parseGoDuration(text);
  if ('fault' in duration) throw badRequest(`invalid timeout specified in the request URL - ${duration.fault}`);
}
