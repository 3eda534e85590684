import type { Status } from '../../model/status.js';
import { boundedStatus } from './bounded-status.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.StatusError') as never;

/** A failure that has a Status: thrown by verbs, rendered in one place. */
export interface StatusError extends Error {
  readonly status: Status;
  /** Headers beyond the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes a {@link StatusError}, its status bounded by {@link boundedStatus}; `retryAfterSeconds` in the details also becomes
 * the `Retry-After` header.
 */
export function statusError(unbounded: Status, headers: Readonly<Record<string, string>> = {}): StatusError {
  const status = boundedStatus(unbounded);
  const retryAfter = status.details?.retryAfterSeconds;
  const all = retryAfter ? { ...headers, 'retry-after': String(retryAfter) } : headers;
  const error = new Error(status.message);
  return Object.assign(error, { name: 'StatusError', status, headers: all, [BRAND]: true }) as StatusError;
}

/** True for a {@link StatusError}, also one made by another copy of the package. */
export function isStatusError(value: unknown): value is StatusError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
