import type { Status, StatusCause, StatusDetails } from '../../model/status.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.StatusError') as never;

/** A server's refusal: a Kubernetes Status. Recognise it with {@link isStatusError}, never with `instanceof`. */
export interface StatusError extends Error {
  /** The HTTP status code, or that of the Status in an ERROR frame of a watch. */
  readonly code: number;
  /** The reason, such as `NotFound` or `Conflict`. Servers may have more than this library knows. Empty: it was not said. */
  readonly reason: string;
  /** The single faults, such as those of the fields of an invalid event. */
  readonly causes: readonly StatusCause[];
  /** The object it is about. */
  readonly details: StatusDetails | undefined;
  /** How long the server asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** Makes a {@link StatusError}. `retryAfterMs` of the Retry-After header goes before what the Status says. */
export function statusError(
  status: Partial<Omit<Status, 'reason'>> & { reason?: string },
  code: number,
  retryAfterMs?: number,
): StatusError {
  const { message, reason = '', details } = status;
  const seconds = details?.retryAfterSeconds;
  return Object.assign(new Error(message || `the server answered ${code}`), {
    name: 'StatusError',
    code,
    reason,
    causes: details?.causes ?? [],
    details,
    retryAfterMs: retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000),
    [BRAND]: true,
  }) as StatusError;
}

/** True for a {@link StatusError}, also one made by another copy of the package. */
export function isStatusError(value: unknown): value is StatusError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

const withReason = (error: unknown, reason: string): error is StatusError =>
  isStatusError(error) && error.reason === reason;

/** True for 404: there is no such event. */
export const isNotFound = (error: unknown): error is StatusError => isStatusError(error) && error.code === 404;
/** True for 409 because the event has changed since it was read. */
export const isConflict = (error: unknown): error is StatusError => withReason(error, 'Conflict');
/** True for 409 because there is an event of that name. */
export const isAlreadyExists = (error: unknown): error is StatusError => withReason(error, 'AlreadyExists');
/** True for 410: the revision or the continue token is older than the server's history. */
export const isExpired = (error: unknown): error is StatusError => isStatusError(error) && error.code === 410;
/** True for 422: the event breaks a rule; `causes` says which. */
export const isInvalid = (error: unknown): error is StatusError => withReason(error, 'Invalid');
/** True for 401. */
export const isUnauthorized = (error: unknown): error is StatusError => isStatusError(error) && error.code === 401;
/** True for 403. */
export const isForbidden = (error: unknown): error is StatusError => isStatusError(error) && error.code === 403;
/** True for 429. */
export const isTooManyRequests = (error: unknown): error is StatusError => isStatusError(error) && error.code === 429;
