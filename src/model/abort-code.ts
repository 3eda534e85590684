/** Why a bridge aborted the signal of a request. */
export type AbortCode = 'client-left' | 'server-closing' | 'body-unwanted' | 'reader-stalled' | 'answer-given-up';
