const BRAND: unique symbol = Symbol.for('kube-vitals.ResponseError') as never;

/**
 * An answer that no server of this API gives: no JSON, another kind of object, or more bytes than the client takes. It came from a
 * proxy, a login page or a hostile server, and sending the request again would not help. Of a write, nobody can say whether it
 * was carried out. Recognise it with {@link isResponseError}.
 */
export interface ResponseError extends Error {
  /** The HTTP status code of the answer; 0 where it was no answer of HTTP. */
  readonly status: number;
}

/** Makes a {@link ResponseError}. */
export function responseError(message: string, status: number, cause?: unknown): ResponseError {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), {
    name: 'ResponseError',
    status,
    [BRAND]: true,
  }) as unknown as ResponseError;
}

/** True for a {@link ResponseError}, also one made by another copy of the package. */
export function isResponseError(value: unknown): value is ResponseError {
  return typeof value === 'object' && value !== null && BRAND in value;
}
