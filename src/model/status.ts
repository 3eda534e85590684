import type { ListMeta } from './object-meta.js';

/** The response to a failed request, and to a completed deletion (Kubernetes `meta/v1` Status). Keys in wire order. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: ListMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  readonly reason?: StatusReason | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code?: number | undefined;
}

/** The object of a Status. `kind` is the resource name (`events`) except for Invalid, where it is the kind (`Event`). */
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** One of several reasons for a failure. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/** The machine-readable reasons that this API returns. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'InsufficientStorage';
