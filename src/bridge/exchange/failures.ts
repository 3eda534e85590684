import { isBodyError } from '../../http/body.js';
import type { ApiResponse } from '../../http/response.js';
import { bodyFailureText, internalErrorText } from '../../responses/fixed-responses.js';
import { callHook } from '../../observe/call-hook.js';
import { createWarnings } from '../../observe/warnings.js';
import type { BridgeOptions, FailurePlace } from './options.js';

/** The answer to an error that a handler threw. */
export interface Failure {
  /** The answer for the client; reveals nothing about the error. */
  readonly response: ApiResponse;
  /** True if the client caused the error: nothing is reported to the service. */
  readonly expected: boolean;
}

/**
 * Returns the answer to an error that a handler threw: a bare 500, because unknown errors may contain secrets. A body
 * over its limit gets 413, an incomplete one 400.
 */
export function failureOf(error: unknown): Failure {
  return isBodyError(error)
    ? { response: bodyFailureText(error), expected: true }
    : { response: internalErrorText(), expected: false };
}

type ErrorHook = NonNullable<BridgeOptions['onError']>;

/** Returns the default of `onError`: the first error of each place becomes a warning of the process. */
export function warnOf(bridge: string): ErrorHook {
  const warn = createWarnings('onError');
  return (error, where) => warn({ type: 'error', error, where: `${bridge}: ${where}` });
}

/** Calls an error hook. Errors that it throws or rejects with are ignored. */
export function reportTo(onError: ErrorHook, error: unknown, where: FailurePlace): void {
  void callHook(() => onError(error, where));
}
