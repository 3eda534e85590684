import type { ApiRequest } from './request.js';

/** The first value of a request header, as received. `name` is lower-case. */
export function header(request: ApiRequest, name: string): string | undefined {
  const value = request.headers?.[name];
  return typeof value === 'string' ? value : value?.[0];
}

/**
 * All values of a request header in order, none when it is absent. `name` is lower-case. Servers may have joined
 * repeated lines into one value with `, `: that is one value here.
 */
export function headerValues(request: ApiRequest, name: string): readonly string[] {
  const value = request.headers?.[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
