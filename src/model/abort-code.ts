const CODES = ['client-left', 'server-closing', 'body-unwanted', 'reader-stalled', 'answer-given-up'] as const;

/** Why a bridge aborted the signal of a request. */
export type AbortCode = (typeof CODES)[number];

/** The code of an abort reason; `undefined` for a reason that no bridge made: a DOMException has a number under that name. */
export function abortCodeOf(reason: unknown): AbortCode | undefined {
  if (typeof reason !== 'object' || reason === null || !('code' in reason)) return undefined;
  const { code } = reason;
  return CODES.find((known) => known === code);
}
