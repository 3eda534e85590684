const BRAND: unique symbol = Symbol.for('kube-vitals.ConnectionError') as never;

/** A server that was not reached, or left before its answer was complete. Recognise it with {@link isConnectionError}. */
export interface ConnectionError extends Error {
  /** False: the request cannot have reached the server, so any request may be sent again. True: it may have been carried out. */
  readonly sent: boolean;
}

/** Makes a {@link ConnectionError}. */
export function connectionError(message: string, sent: boolean, cause?: unknown): ConnectionError {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), {
    name: 'ConnectionError',
    sent,
    [BRAND]: true,
  }) as unknown as ConnectionError;
}

/** True for a {@link ConnectionError}, also one made by another copy of the package. */
export function isConnectionError(value: unknown): value is ConnectionError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
