import { isBytes } from './bytes.js';
import { hasBrand } from '../model/brand.js';
import { chain } from './promise.js';
import type { ApiRequest, BodyCall } from './request.js';

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/**
 * Reads the body as bytes, once. Enforces the limit again, for readers that ignore it.
 *
 * @throws BodyError `too-large` or `aborted`; TypeError when the reader returns neither bytes nor a string
 */
export function readBody(request: ApiRequest, limit: number, call?: BodyCall): Uint8Array | Promise<Uint8Array> {
  if (request.body === undefined) return NO_BYTES;
  return chain<unknown, Uint8Array>(request.body(limit, call), (body) => bodyBytes(body, limit));
}

/** Bytes of a body that is already in memory, strings as UTF-8. Throws `bodyTooLarge(limit)` and `TypeError`. */
export function bodyBytes(body: unknown, limit: number): Uint8Array {
  if (typeof body !== 'string' && !isBytes(body)) {
    throw new TypeError('the body function of a request must return a Uint8Array or a string');
  }
  // UTF-8 never needs fewer bytes than UTF-16 code units: a text that is too long need not be encoded.
  if (body.length > limit) throw bodyTooLarge(limit);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (bytes.length > limit) throw bodyTooLarge(limit);
  return bytes;
}

const BRAND: unique symbol = Symbol.for('kube-vitals.BodyError') as never;

/** Why a request body could not be read. `too-large` becomes 413; `aborted` means that the client has left. */
export interface BodyError extends Error {
  /** `too-large`: more bytes than the limit. `aborted`: the client left first. */
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

/** True for errors made by this module, also those of another copy of the package. The value may be anything. */
export function isBodyError(value: unknown): value is BodyError {
  return hasBrand(value, BRAND);
}
