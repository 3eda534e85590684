import type { Health } from '../../../src/health/contract.js';
import type { RequestHeaders } from '../../../src/http/request.js';
import type { ApiResponse } from '../../../src/http/response.js';

export interface HealthResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string | null;
}

/** Asks the handler; the body of a health response is always text. */
export async function get(
  { handle }: Pick<Health, 'handle'>,
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: RequestHeaders } = {},
): Promise<HealthResponse> {
  const response = await handle({
    method,
    url,
    headers,
    body: () => {
      throw new Error('health never reads a body');
    },
  });
  if (response === undefined) throw new Error(`${url} was not claimed`);
  if (response.body !== null && typeof response.body !== 'string') throw new Error('expected text');
  return { status: response.status, headers: response.headers, text: response.body };
}

/** A promise and the functions that settle it. */
export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
