import { isBodyError } from '../http/body-error.js';
import type { ApiResponse } from '../http/response.js';
import { textResponse } from '../http/text.js';

/** What becomes of an error that a handler let out. */
export interface Failure {
  /** The answer for the client; tells nothing about the error. */
  readonly response: ApiResponse;
  /** True when the client is to blame: nothing to report to the service. */
  readonly expected: boolean;
}

/**
 * The answer to an error that escaped a handler, for bridges: a bare 500, because unknown errors may hold secrets. A body
 * over its limit is 413; a body that broke off is 400, should anybody be left to read it.
 */
export function failureOf(error: unknown): Failure {
  if (!isBodyError(error)) return { response: textResponse(500, 'Internal Server Error'), expected: false };
  return error.code === 'too-large'
    ? { response: textResponse(413, 'Request entity too large'), expected: true }
    : { response: textResponse(400, 'request body is incomplete'), expected: true };
}
