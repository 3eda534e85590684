/** Why the signal of a request was aborted. */
export type AbortCode = 'client-left' | 'server-closing' | 'body-unwanted' | 'reader-stalled' | 'answer-given-up';

/** The reason of an aborted request signal. An answer that it cuts short is no failure. */
export interface AbortReason extends Error {
  readonly name: 'AbortError';
  readonly code: AbortCode;
}

const MESSAGES: Readonly<Record<AbortCode, string>> = {
  'client-left': 'the client has left',
  'server-closing': 'the server is closing',
  'body-unwanted': 'nobody reads the body: the answer goes without one',
  'reader-stalled': 'the client has taken nothing of the answer for too long',
  'answer-given-up': 'the answer took too long and was given up',
};

/** True for the way a source may say that it stopped because it was aborted. */
export function isAbortError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
}

/** Makes the one reason a bridge uses for all its requests: an error for each would cost a stack for each. */
export function abortReason(code: AbortCode): AbortReason {
  return Object.freeze(Object.assign(new Error(MESSAGES[code]), { name: 'AbortError' as const, code }));
}
