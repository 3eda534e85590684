import { type ApiResponse, isStream } from '../../http/response.js';

/**
 * Returns the body of an answer that is not sent, if it is a stream. The answer may be any value, also one that throws
 * when a member is read.
 */
export function sourceOf(answer: unknown): AsyncIterable<Uint8Array> | undefined {
  try {
    const body = (answer as ApiResponse | null | undefined)?.body ?? null;
    return isStream(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
