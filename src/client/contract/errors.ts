import { hasBrand } from '../../model/brand.js';
import type { Status, StatusCause, StatusDetails } from '../../model/status.js';

/**
 * The server was not reached, closed the connection before its response was complete, or did not respond in time.
 * Recognise it with {@link isConnectionError}.
 */
export interface ConnectionError extends Error {
  /**
   * False: the request cannot have been processed, so any request may be sent again. True: it may have been carried
   * out.
   */
  readonly sent: boolean;
}

/** Makes a {@link ConnectionError}. */
export function connectionError(message: string, sent: boolean, cause?: unknown): ConnectionError {
  return branded('ConnectionError', message, { sent }, cause);
}

/** True for a {@link ConnectionError}, also one made by another copy of the package. */
export const isConnectionError = (value: unknown): value is ConnectionError => isBranded('ConnectionError', value);

/** Makes the {@link ConnectionError} of a transport that was closed, after which no retry succeeds. */
export function transportClosed(): ConnectionError {
  return Object.assign(connectionError('the transport is closed', false), {
    [Symbol.for('kube-vitals.ConnectionClosed')]: true,
  });
}

export const isTransportClosed = (value: unknown): boolean => isBranded('ConnectionClosed', value);

/**
 * A response that no server of this API gives: not JSON, another kind of object, or more bytes than the client takes.
 * It came from a proxy, a login page or a hostile server, and sending the request again would not help. Whether a write
 * was carried out is unknown. Recognise it with {@link isResponseError}.
 */
export interface ResponseError extends Error {
  /** The HTTP status code of the response; 0 if the response was not HTTP. */
  readonly status: number;
}

export function responseError(message: string, status: number, cause?: unknown): ResponseError {
  return branded('ResponseError', message, { status }, cause);
}

/** True for a {@link ResponseError}, also one made by another copy of the package. */
export const isResponseError = (value: unknown): value is ResponseError => isBranded('ResponseError', value);

/** A server's refusal: a Kubernetes Status. Recognise it with {@link isStatusError}, never with `instanceof`. */
export interface StatusError extends Error {
  /** The HTTP status code, or that of the Status in an ERROR frame of a watch. */
  readonly code: number;
  /**
   * The reason, such as `NotFound` or `Conflict`. Servers may send reasons that this library does not define. Empty if
   * the server sent none.
   */
  readonly reason: string;
  /** The single faults, such as those of the fields of an invalid event. */
  readonly causes: readonly StatusCause[];
  /** The object that the refusal is about. */
  readonly details: StatusDetails | undefined;
  /** How long to wait before the next attempt, as requested by the server, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** Makes a {@link StatusError}. `retryAfterMs`, of the Retry-After header, takes precedence over the Status. */
export function statusError(
  status: Partial<Omit<Status, 'reason'>> & { reason?: string },
  code: number,
  retryAfterMs?: number,
): StatusError {
  const { message, reason = '', details } = status;
  const seconds = details?.retryAfterSeconds;
  return branded('StatusError', message || `the server responded with ${code}`, {
    code,
    reason,
    causes: details?.causes ?? [],
    details,
    retryAfterMs: retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000),
  });
}

/** True for a {@link StatusError}, also one made by another copy of the package. */
export const isStatusError = (value: unknown): value is StatusError => isBranded('StatusError', value);

const withReason = (error: unknown, reason: string): error is StatusError =>
  isStatusError(error) && error.reason === reason;
const withCode = (error: unknown, code: number): error is StatusError => isStatusError(error) && error.code === code;

/** True for 404: there is no such event. */
export const isNotFound = (error: unknown): error is StatusError => withCode(error, 404);
/** True for 409 because the event has changed since it was read. */
export const isConflict = (error: unknown): error is StatusError => withReason(error, 'Conflict');
/** True for 409 because there is an event of that name. */
export const isAlreadyExists = (error: unknown): error is StatusError => withReason(error, 'AlreadyExists');
/** True for 410: the revision or the continue token is older than the server's history. */
export const isExpired = (error: unknown): error is StatusError => withCode(error, 410);
/** True for 422: the event violates rules, which `causes` lists. */
export const isInvalid = (error: unknown): error is StatusError => withReason(error, 'Invalid');
/** True for 401. */
export const isUnauthorized = (error: unknown): error is StatusError => withCode(error, 401);
/** True for 403. */
export const isForbidden = (error: unknown): error is StatusError => withCode(error, 403);
/** True for 429. */
export const isTooManyRequests = (error: unknown): error is StatusError => withCode(error, 429);

function branded<Kind extends Error>(
  name: string,
  message: string,
  fields: Omit<Kind, keyof Error>,
  cause?: unknown,
): Kind {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  return Object.assign(error, { name, ...fields, [Symbol.for(`kube-vitals.${name}`)]: true }) as unknown as Kind;
}

function isBranded(name: string, value: unknown): boolean {
  return hasBrand(value, Symbol.for(`kube-vitals.${name}`));
}
