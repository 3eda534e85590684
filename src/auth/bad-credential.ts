const BRAND: unique symbol = Symbol.for('kube-vitals.BadCredential') as never;

/** What an `authenticate` hook throws for a credential that it knows to be bad. Recognise it with {@link isBadCredential}. */
export interface BadCredential extends Error {
  readonly name: 'BadCredential';
}

/**
 * Makes the error with which an `authenticate` hook refuses a credential: 401, and nothing is reported, since any client can
 * send as many bad credentials as it likes. Whatever else the hook throws is a 401 too, but is taken for a failure of the
 * hook and reported to `observe`.
 *
 * @param message for the service's own code; clients never see it
 */
export function badCredential(message = 'bad credential', more: { readonly cause?: unknown } = {}): BadCredential {
  const error = new Error(message, 'cause' in more ? { cause: more.cause } : undefined);
  return Object.assign(error, { name: 'BadCredential' as const, [BRAND]: true });
}

/** True for a {@link BadCredential}, also one made by another copy of the package. */
export function isBadCredential(value: unknown): value is BadCredential {
  return typeof value === 'object' && value !== null && BRAND in value;
}
