import { isConnectionError, isResponseError, isStatusError } from '../contract/errors.js';

const KIND: unique symbol = Symbol('kind of failure');

/** `unordered`: revisions are not numbers. `rewound`: they have gone back. `silent`: nothing came for too long. */
type FailureKind = 'unordered' | 'rewound' | 'silent';

export const failure = (kind: FailureKind, message: string): Error =>
  Object.assign(new Error(message), { [KIND]: kind });

export const isFailure = (error: unknown, kind: FailureKind): boolean =>
  (error as { readonly [KIND]?: FailureKind } | null | undefined)?.[KIND] === kind;

/** True if the server's revisions have gone back, or it reports that it has not reached the requested one. */
export const isRewound = (error: unknown): boolean =>
  isFailure(error, 'rewound') ||
  (isStatusError(error) && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge'));

const TEMPORARY: ReadonlySet<number> = new Set([408, 410, 429]);

/** True for permanent refusals, and for redirects, which are not followed. */
export function isFinal(error: unknown): boolean {
  if (isConnectionError(error)) return false;
  return !isStatusError(error) || (error.code < 500 && !TEMPORARY.has(error.code));
}

/** True for a failure that may be due to the resourceVersion, and not to load or rights. */
export function isRefusedResume(error: unknown): boolean {
  if (!isStatusError(error)) return isResponseError(error);
  const { code } = error;
  return !TEMPORARY.has(code) && ![401, 403, 502, 503, 504].includes(code);
}

/** True for failures of servers without WatchList: a refusal, initial events without an end, or what cannot be read. */
export function isNoWatchList(error: unknown): boolean {
  if (isFailure(error, 'silent') || isResponseError(error)) return true;
  return isStatusError(error) && ![408, 410, 429, 503, 504].includes(error.code);
}
