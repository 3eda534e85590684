import { isConnectionError } from '../contract/connection-error.js';
import { isResponseError } from '../contract/response-error.js';
import { isStatusError } from '../contract/status-error.js';
import { isSilentConnection } from './one-connection.js';

/** Codes of refusals that pass by themselves. */
const PASSING: ReadonlySet<number> = new Set([408, 410, 429]);

const HOPELESS: unique symbol = Symbol('hopeless');

/** Ends a follower for good: what a server sends cannot be followed. */
export function hopeless(message: string): Error {
  return Object.assign(new Error(message), { [HOPELESS]: true });
}

/** True for what {@link hopeless} made. */
export function isHopeless(error: unknown): boolean {
  return typeof error === 'object' && error !== null && HOPELESS in error;
}

const DOUBTFUL: unique symbol = Symbol('doubtful');

/** Ends a connection, because what the server says does not follow the position. */
export const doubtful = (): Error => Object.assign(new Error('the server has counted back'), { [DOUBTFUL]: true });

/** True for what {@link doubtful} made, and for a server's own word that it has counted back. */
export function isDoubtful(error: unknown): boolean {
  return (typeof error === 'object' && error !== null && DOUBTFUL in error) || wasRewound(error);
}

/** True for what would be refused again, however often it is tried: a request that is wrong, not allowed, or not known. */
export function isFinal(error: unknown): boolean {
  if (isConnectionError(error)) return false;
  return !isStatusError(error) || (error.code >= 400 && error.code < 500 && !PASSING.has(error.code));
}

/**
 * True for a failure that may have to do with the resource version, such as a change that the client cannot read: neither the
 * server's load nor the caller's rights.
 */
export function isRefusedResume(error: unknown): boolean {
  if (!isStatusError(error)) return isResponseError(error);
  const { code } = error;
  return !PASSING.has(code) && ![401, 403, 502, 503, 504].includes(code);
}

/**
 * True for how servers fail that have no WatchList: they refuse it, or ignore it, so that the initial events never end. A lost
 * connection and a server under load say nothing about that.
 */
export function isNoWatchList(error: unknown): boolean {
  return isSilentConnection(error) || (isStatusError(error) && ![408, 429, 503, 504].includes(error.code));
}

/** True for the answer of a server that has not got as far as the resource version that was asked for. */
function wasRewound(error: unknown): boolean {
  return isStatusError(error) && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}
