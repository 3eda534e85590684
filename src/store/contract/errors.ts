import { hasBrand } from '../../model/brand.js';
import type { Revision } from './event-store.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.StoreError') as never;

/**
 * Why a store refused or failed.
 * - `exists`, `not-found`, `conflict`: the condition of a write did not hold; nothing was changed
 * - `expired`: the revision is older than the stored history; `future-revision`: it is later than the latest one
 * - `too-large`: the event does not fit
 * - `invalid-key`: no event can be stored under this key: it is too long for the engine, or has characters that the
 *   engine does not support
 * - `full`: the store has no room for another event; nothing was changed, deletions and expiry still work
 * - `unavailable`: the engine is not available; nothing was changed
 * - `unknown-outcome`: the connection to the engine was lost during a write, and it is not known whether the write took
 *   effect
 * - `closed`: the store was closed
 */
export type StoreErrorCode =
  | 'exists'
  | 'not-found'
  | 'conflict'
  | 'expired'
  | 'future-revision'
  | 'too-large'
  | 'invalid-key'
  | 'full'
  | 'unavailable'
  | 'unknown-outcome'
  | 'closed';

/** The only kind of error that stores fail with. Detect it with {@link isStoreError}, never with `instanceof`. */
export interface StoreError extends Error {
  /** Why the store refused or failed. */
  readonly code: StoreErrorCode;
  /** The latest revision, with `future-revision`; the oldest readable one, with `expired`. */
  readonly current?: Revision | undefined;
  /** With `unavailable`: only writes are refused, and reads still work, as with a full disk. */
  readonly onlyWrites?: boolean | undefined;
}

/** Creates a {@link StoreError}. */
export function storeError(
  code: StoreErrorCode,
  message: string,
  more: {
    /** See {@link StoreError.current}. */
    readonly current?: Revision | undefined;
    /** The `cause` of the error. */
    readonly cause?: unknown;
    /** See {@link StoreError.onlyWrites}. */
    readonly onlyWrites?: boolean | undefined;
  } = {},
): StoreError {
  // A wrong third argument must not hide the failure of the store. `Error` ignores what is not an object, too.
  const error = new Error(message, more);
  const { current, onlyWrites } = more ?? {};
  return Object.assign(error, {
    name: 'StoreError',
    code,
    current,
    ...(onlyWrites === true && { onlyWrites }),
    [BRAND]: true,
  }) as StoreError;
}

/** True for a {@link StoreError}, including one created by another copy of the package. */
export function isStoreError(value: unknown): value is StoreError {
  return hasBrand(value, BRAND);
}

export function hasCode(error: unknown, ...codes: readonly StoreErrorCode[]): boolean {
  return isStoreError(error) && codes.includes(error.code);
}
