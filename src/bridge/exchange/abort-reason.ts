import type { AbortCode } from '../../model/abort-code.js';

/** The reason of an aborted request signal. A response that ends early because of it is not an error. */
export interface AbortReason extends Error {
  /** The usual name of abort errors. */
  readonly name: 'AbortError';
  /** Why the request was aborted. */
  readonly code: AbortCode;
}

const MESSAGES: Readonly<Record<AbortCode, string>> = {
  'client-left': 'the client has left',
  'server-closing': 'the server is closing',
  'body-unwanted': 'the response is sent without a body, so its source is not read',
  'reader-stalled': 'the client has not read from the response for too long',
  'response-abandoned': 'the response took too long and was abandoned',
};

/** The reason of each code. Constants, because each new error would capture a stack trace. */
export const ABORT_REASONS = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(MESSAGES).map(([code, message]) => [
    code,
    Object.freeze(Object.assign(new Error(message), { name: 'AbortError', code })),
  ]),
) as Readonly<Record<AbortCode, AbortReason>>;

/** True for an error with which a source reports that it stopped because it was aborted. The value may be anything. */
export function isAbortError(error: unknown): boolean {
  try {
    return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
  } catch {
    return false;
  }
}
