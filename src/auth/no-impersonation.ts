import type { ApiRequest } from '../http/request.js';
import type { Status } from '../model/status.js';
import type { Impersonate } from './impersonation.js';
import { failureStatus } from '../responses/failure-status.js';

const PREFIX = 'impersonate-';
const LETTER_I = 0x69;
const LOWER_CASE = 0x20;

/**
 * The 403 for a request with impersonation headers if impersonation is not enabled. Ignoring the headers would do in the
 * caller's own name what was meant to run with another user's rights: `kubectl delete --as=nobody` would delete.
 */
export const NO_IMPERSONATION: Status = Object.freeze(
  failureStatus(
    403,
    'Forbidden',
    'forbidden: impersonation is not enabled on this server: send no Impersonate-* headers',
    {},
  ),
);

/** Whether a request has any header whose name begins with `Impersonate-`, known to Kubernetes or not. */
export function asksToImpersonate({ headers, headerNames }: ApiRequest): boolean {
  // Middleware may have added the header since the server received the others.
  if (headerNames?.some(isImpersonation) === false && headers?.['impersonate-user'] === undefined) return false;
  for (const name in headers) if (isImpersonation(name) && headers[name] !== undefined) return true;
  return false;
}

/** The first letter is compared first: this runs for every header of every request. */
function isImpersonation(name: string): boolean {
  return (name.charCodeAt(0) | LOWER_CASE) === LETTER_I && name.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

/** The {@link Impersonate} that refuses every request with the headers, whatever the rights of the caller. */
export const refuseImpersonation: Impersonate = (request, caller) =>
  asksToImpersonate(request) ? { refused: NO_IMPERSONATION } : { caller };
