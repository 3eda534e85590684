const BRAND: unique symbol = Symbol.for('kube-vitals.BadCredential') as never;

/** The error that an `authenticate` hook throws for an invalid credential. See {@link isBadCredential}. */
export interface BadCredential extends Error {
  readonly name: 'BadCredential';
}

/**
 * Makes the error with which an `authenticate` hook refuses a credential: 401, not reported, since any client can
 * send any number of bad credentials. Any other error of the hook is a 401 too, but is treated as a failure of the
 * hook and reported to `observe`.
 *
 * @param message for the service's own use; never sent to clients
 */
export function badCredential(message = 'bad credential', more: { readonly cause?: unknown } = {}): BadCredential {
  const error = new Error(message, 'cause' in more ? { cause: more.cause } : undefined);
  return Object.assign(error, { name: 'BadCredential' as const, [BRAND]: true });
}

/** True for a {@link BadCredential}, also one made by another copy of the package. */
export function isBadCredential(value: unknown): value is BadCredential {
  return typeof value === 'object' && value !== null && BRAND in value;
}
