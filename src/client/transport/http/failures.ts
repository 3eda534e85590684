import { connectionError } from '../../contract/connection-error.js';
import { responseError } from '../../contract/response-error.js';

/** What the HTTP client says of answers that are none, besides the codes of its parser. */
const NO_ANSWER = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'];

/**
 * The error of a request that failed, with the address but nothing else of the request: headers are secret.
 *
 * @param sent whether it had been written to a connection, at least in part
 */
export function requestFailure(error: unknown, host: string, sent: boolean): Error {
  const code = codeOf(error);
  const reason = reasonOf(error);
  if (NO_ANSWER.includes(code) || (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE')) {
    return responseError(`${host} sent no answer of HTTP: ${reason}`, 0, error);
  }
  if (!sent) return connectionError(`${host} was not reached: ${reason}`, false, error);
  return connectionError(`the connection to ${host} was lost: ${reason}`, true, error);
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** An attempt at several addresses fails with an error for each, and no text of its own. */
function reasonOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { readonly message?: unknown; readonly errors?: readonly unknown[] };
  if (typeof message === 'string' && message !== '') return message;
  return errors?.[0] === undefined ? codeOf(error) || 'no reason is known' : reasonOf(errors[0]);
}
