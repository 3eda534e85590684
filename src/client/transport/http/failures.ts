import { connectionError, responseError } from '../../contract/errors.js';

const HEADERS_OVERFLOW = 'UND_ERR_HEADERS_OVERFLOW';

/** As undici reports headers over HTTP/1 that are too large. */
export const headersOverflow = (): Error =>
  Object.assign(new Error('Headers Overflow Error'), { code: HEADERS_OVERFLOW });

/**
 * The errors of undici for answers that are not HTTP; its parser also fails where a connection ends in the middle of
 * one.
 */
const isNoAnswer = (error: unknown): boolean =>
  codeOf(error) === HEADERS_OVERFLOW ||
  (error instanceof Error && error.name === 'HTTPParserError' && !error.message.includes('EOF'));

/**
 * The error of a request that failed, with the address but nothing else of the request: headers are secret.
 *
 * @param sent whether it had been written to a connection, at least in part
 */
export function requestFailure(error: unknown, host: string, sent: boolean): Error {
  const reason = reasonOf(error);
  if (isNoAnswer(error)) return responseError(`${host} did not answer with HTTP: ${reason}`, 0, error);
  if (!sent) return connectionError(`${host} was not reached: ${reason}`, false, error);
  return connectionError(`the connection to ${host} was lost: ${reason}`, true, error);
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** An attempt at several addresses fails with an error for each, and without a message. */
function reasonOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { readonly message?: unknown; readonly errors?: readonly unknown[] };
  if (typeof message === 'string' && message !== '') return message;
  return errors?.[0] === undefined ? codeOf(error) || 'no reason is known' : reasonOf(errors[0]);
}
