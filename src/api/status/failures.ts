import type { StatusDetails } from '../../model/status.js';
import { failureStatus, UNAUTHORIZED } from '../../responses/failure-status.js';
import { detailsOf, named, type GroupResource } from '../../responses/group-resource.js';
import { joinFieldErrors, toCause, type FieldError } from './field-error.js';
import { withinLength, statusFailure, type StatusFailure } from './status-failure.js';

function failure(...parts: Parameters<typeof failureStatus>): StatusFailure {
  return statusFailure(failureStatus(...parts));
}

export function badRequest(message: string): StatusFailure {
  return failure(400, 'BadRequest', message);
}

export function unauthorized(): StatusFailure {
  return statusFailure(UNAUTHORIZED);
}

export function notFound(gr: GroupResource, name: string): StatusFailure {
  return failure(404, 'NotFound', `${named(gr, name)} not found`, detailsOf(gr, name));
}

/** 404: no such route below a known group. */
export function routeNotFound(): StatusFailure {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusFailure {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function notAcceptable(message: string, details?: StatusDetails): StatusFailure {
  return failure(406, 'NotAcceptable', message, details);
}

export function alreadyExists(gr: GroupResource, name: string, prefix = ''): StatusFailure {
  return failure(409, 'AlreadyExists', `${prefix}${named(gr, name)} already exists`, detailsOf(gr, name));
}

/** For an object with a `generateName`, even if the client sent the name. Kubernetes names no group here. */
export function generatedNameTaken({ resource }: GroupResource, name: string, prefix = ''): StatusFailure {
  const gr = { group: '', resource };
  const message = `${prefix}${named(gr, name)} already exists, the server was not able to generate a unique name for the object`;
  return failure(409, 'AlreadyExists', message, { ...detailsOf(gr, name), retryAfterSeconds: 1 });
}

export function conflict(gr: GroupResource, name: string, why: string): StatusFailure {
  const message = `Operation cannot be fulfilled on ${named(gr, name)}: ${why}`;
  return failure(409, 'Conflict', message, detailsOf(gr, name));
}

/** 410: the requested history is no longer stored. `token` lets a client continue an inconsistent list. */
export function expired(message: string, token?: string): StatusFailure {
  return failure(410, 'Expired', message, undefined, token ? { continue: token } : undefined);
}

export function tooLarge(text: string): StatusFailure {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${text}`);
}

/** With the router's message. */
export function unsupportedMediaType(): StatusFailure {
  return failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** With a handler's message. */
export function unknownFormat(accepted: readonly string[]): StatusFailure {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure(415, 'UnsupportedMediaType', message);
}

/** Errors that do not fit into a Status are omitted. `group` is empty for Event, `meta.k8s.io` for options. */
export function invalid(kind: string, name: string, errors: readonly FieldError[], group = ''): StatusFailure {
  const listed = withinLength(errors, ({ field, text }) => field.length + text.length);
  const gr = { group, resource: kind };
  const message = `${named(gr, name)} is invalid: ${joinFieldErrors(listed)}`;
  return failure(422, 'Invalid', message, { ...detailsOf(gr, name), causes: listed.map(toCause) });
}

/** 422 without a reason: a JSON Patch operation that failed. */
export function unprocessable(): StatusFailure {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** `text` follows `Too many requests: `. No details, as in Kubernetes' admission; the header makes clients retry. */
export function tooManyRequests(text: string, retryAfterSeconds: number): StatusFailure {
  const status = failureStatus(429, 'TooManyRequests', `Too many requests: ${text}`);
  return statusFailure(status, { 'retry-after': String(retryAfterSeconds) });
}

export function internalError(): StatusFailure {
  return failure(500, 'InternalError', 'Internal error occurred', {});
}

export function serviceUnavailable(message: string): StatusFailure {
  return failure(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });
}

/** 507: there is no room for another object until others are removed. Kubernetes has no reason for this. */
export function insufficientStorage(message: string): StatusFailure {
  return failure(507, 'InsufficientStorage', message, { retryAfterSeconds: 5 });
}

/** 504: `text` follows `Timeout: `. */
export function timeout(text: string, details: StatusDetails = {}): StatusFailure {
  return failure(504, 'Timeout', `Timeout: ${text}`, details);
}
