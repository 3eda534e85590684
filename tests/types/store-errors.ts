// Compiled by `npm run typecheck`, never run. The compiler has to refuse each line below `@ts-expect-error`.
import { isStoreError, storeError } from '../../src/store.js';
import type { StoreError, StoreErrorCode } from '../../src/store.js';

/** Handles every code: a new one does not compile until it is handled here. */
export function meaning(code: StoreErrorCode): string {
  switch (code) {
    case 'exists':
    case 'not-found':
    case 'conflict':
      return 'the condition did not hold';
    case 'expired':
    case 'future-revision':
      return 'not readable at this revision';
    case 'too-large':
    case 'full':
      return 'does not fit';
    case 'invalid-key':
      return 'no such name';
    case 'unavailable':
      return 'nothing was changed';
    case 'unknown-outcome':
      return 'nobody knows';
    case 'closed':
      return 'over';
    default: {
      const none: never = code;
      return none;
    }
  }
}

/** A guard narrows what was caught. */
export function caught(error: unknown): StoreErrorCode | undefined {
  // @ts-expect-error what was caught is unknown before the guard
  if (error.code === 'conflict') return undefined;
  return isStoreError(error) ? error.code : undefined;
}

/** A store error is an error, with its cause and the revision that it is about. */
export const failure: StoreError & Error = storeError('expired', 'compacted', {
  current: 17,
  cause: new Error('older'),
});

// @ts-expect-error codes are a closed set
storeError('gone', 'no such code');

// @ts-expect-error codes are read-only
failure.code = 'closed';
