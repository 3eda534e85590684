const BRAND: unique symbol = Symbol.for('kube-vitals.BodyError') as never;

/** Why a request body could not be read. `too-large` becomes 413; `aborted` means that the client has left. */
export interface BodyError extends Error {
  readonly code: 'too-large' | 'aborted';
  /** The limit in bytes, for `too-large`. */
  readonly limit?: number;
}

function bodyError(code: BodyError['code'], message: string, more: object): BodyError {
  return Object.assign(new Error(message), { name: 'BodyError', code, [BRAND]: true }, more) as BodyError;
}

/** Thrown by a body reader that met more than `limit` bytes. */
export function bodyTooLarge(limit: number): BodyError {
  return bodyError('too-large', `the request body is larger than ${limit} bytes`, { limit });
}

/** Thrown by a body reader whose client left before the body was complete. */
export function bodyAborted(cause?: unknown): BodyError {
  return bodyError('aborted', 'the client left before the request body was complete', { cause });
}

/** True for errors made by this module, also those of another copy of the package. */
export function isBodyError(value: unknown): value is BodyError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
