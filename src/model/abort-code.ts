/** Why a bridge aborted the signal of a request. */
export type AbortCode = 'client-left' | 'server-closing' | 'body-unwanted' | 'reader-stalled' | 'response-abandoned';

const CODES: Readonly<Record<AbortCode, true>> = {
  'client-left': true,
  'server-closing': true,
  'body-unwanted': true,
  'reader-stalled': true,
  'response-abandoned': true,
};

/** The code of an abort reason; `undefined` for others, such as a DOMException, whose `code` is a number. */
export function abortCodeOf(reason: unknown): AbortCode | undefined {
  if (typeof reason !== 'object' || reason === null || !('code' in reason)) return undefined;
  const { code } = reason;
  return typeof code === 'string' && Object.hasOwn(CODES, code) ? (code as AbortCode) : undefined;
}
