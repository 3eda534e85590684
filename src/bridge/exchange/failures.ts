import { isBodyError } from '../../http/body.js';
import type { ApiResponse } from '../../http/response.js';
import { bodyFailureText, internalErrorText } from '../../responses/fixed-responses.js';
import { callHook } from '../../observe/call-hook.js';
import { createWarnings } from '../../observe/warnings.js';
import { isAbortError } from './abort-reason.js';
import type { BridgeOptions, FailurePlace } from './options.js';

/** The response to a thrown error: 413 or 400 for a body, else a bare 500, because errors may contain secrets. */
export function failureResponse(error: unknown): ApiResponse {
  return isBodyError(error) ? bodyFailureText(error) : internalErrorText();
}

/** True for an error of a handler that needs no report: the client caused it, or the request was aborted. */
export function isExpected(error: unknown, { aborted }: { readonly aborted: boolean }): boolean {
  return isBodyError(error) || (aborted && isAbortError(error));
}

/** Returns the function that reports errors to the service. It never throws. */
export function createReport(bridge: string, onError: BridgeOptions['onError']) {
  const warn = createWarnings('onError');
  return (error: unknown, where: FailurePlace): void =>
    void callHook(() =>
      onError ? onError(error, where) : warn({ type: 'error', error, where: `${bridge}: ${where}` }),
    );
}

export type Report = ReturnType<typeof createReport>;
