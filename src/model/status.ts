import type { ListMeta } from './object-meta.js';

/** The response to a failed request, and to a completed deletion (Kubernetes `meta/v1` Status). Keys in wire order. */
export interface Status {
  /** Always `Status`. */
  readonly kind: 'Status';
  /** Always `v1`. */
  readonly apiVersion: 'v1';
  /** Empty. */
  readonly metadata: ListMeta;
  /** Whether the request succeeded. */
  readonly status: 'Success' | 'Failure';
  /** What happened, for people. */
  readonly message?: string | undefined;
  /** What happened, for programs. */
  readonly reason?: StatusReason | undefined;
  /** The object that the Status is about, and further causes. */
  readonly details?: StatusDetails | undefined;
  /** The HTTP status code. */
  readonly code?: number | undefined;
}

/**
 * The object of a Status. `kind` is the resource name (`events`) except for Invalid, where it is the kind (`Event`).
 */
export interface StatusDetails {
  /** The name of the object. */
  readonly name?: string | undefined;
  /** The API group. */
  readonly group?: string | undefined;
  /** The resource, or the kind where the object is invalid. */
  readonly kind?: string | undefined;
  /** The UID of the object. */
  readonly uid?: string | undefined;
  /** Every single fault. */
  readonly causes?: readonly StatusCause[] | undefined;
  /** How long to wait before trying again. */
  readonly retryAfterSeconds?: number | undefined;
}

/** One of several reasons for a failure. */
export interface StatusCause {
  /** What is wrong, for programs. */
  readonly reason?: string | undefined;
  /** What is wrong, for people. */
  readonly message?: string | undefined;
  /** The field at fault, such as `metadata.name`. */
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
