import type { Revision } from './event-store.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.StoreError') as never;

/**
 * Why a store refused or failed.
 * - `exists`, `not-found`, `conflict`: the condition of a write did not hold; nothing was changed
 * - `expired`: the revision is older than the history kept; `future-revision`: it has not happened yet
 * - `too-large`: the event does not fit
 * - `invalid-key`: nothing can be kept under this key: it is too long for the engine, or has characters it does not take
 * - `full`: the store has no room for another event; nothing was changed, deletions and expiry go on
 * - `unavailable`: the engine is away; nothing was changed
 * - `unknown-outcome`: the engine was lost during a write and it is not known whether it happened
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

/** The one kind of error stores fail with. Recognise it with {@link isStoreError}, never with `instanceof`. */
export interface StoreError extends Error {
  /** Why the store refused or failed. */
  readonly code: StoreErrorCode;
  /** The latest revision, with `future-revision`; the oldest readable one, with `expired`. */
  readonly current?: Revision | undefined;
  /** With `unavailable`: only writes are refused, and reads go on. A full disk is like that. */
  readonly onlyWrites?: boolean | undefined;
}

/** Makes a {@link StoreError}. */
export function storeError(
  code: StoreErrorCode,
  message: string,
  more: {
    readonly current?: Revision | undefined;
    readonly cause?: unknown;
    readonly onlyWrites?: boolean | undefined;
  } = {},
): StoreError {
  const error = new Error(message, 'cause' in more ? { cause: more.cause } : undefined);
  const { current, onlyWrites } = more;
  return Object.assign(error, {
    name: 'StoreError',
    code,
    current,
    ...(onlyWrites === true && { onlyWrites }),
    [BRAND]: true,
  }) as StoreError;
}

/** True for a {@link StoreError}, also one made by another copy of the package. */
export function isStoreError(value: unknown): value is StoreError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
