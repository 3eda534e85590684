import { isBytes } from './bytes.js';
import type { ApiResponse } from './response.js';

/** Statuses that never have a body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

/** True for a body that is streamed. */
export function isStream(body: ApiResponse['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && !isBytes(body);
}

/**
 * Throws a TypeError for what a bridge could not send. It meets answers of handlers written by the service, whom no
 * compiler may have checked.
 */
export function checkResponse(response: ApiResponse): void {
  const candidate: unknown = response;
  if (typeof candidate !== 'object' || candidate === null) {
    throw new TypeError('a handler must answer { status, headers, body }, or undefined for a path that is not its own');
  }
  const { status, headers, body } = candidate as Record<keyof ApiResponse, unknown>;
  const faults: string[] = [];
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599) {
    faults.push('status must be an integer from 200 to 599');
  }
  if (typeof headers !== 'object' || headers === null) faults.push('headers must be an object');
  if (!isBody(body)) faults.push('body must be a string, a Uint8Array, an async iterable or null');
  if (faults.length > 0) throw new TypeError(`a handler gave an answer that cannot be sent: ${faults.join('; ')}`);
}

function isBody(body: unknown): boolean {
  if (body === null || typeof body === 'string' || isBytes(body)) return true;
  return (
    typeof body === 'object' && typeof (body as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}
