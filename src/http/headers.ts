import type { ApiRequest } from './request.js';

/** The first value of a request header, as received. `name` is lower-case. */
export function header(request: Partial<ApiRequest>, name: string): string | undefined {
  const value = request.headers?.[name];
  return typeof value === 'string' ? value : value?.[0];
}

/**
 * All values of a request header in order, none when it is absent. `name` is lower-case. Servers may have joined
 * repeated lines into one value with `, `: that is one value here.
 */
export function headerValues(request: Partial<ApiRequest>, name: string): readonly string[] {
  const value = request.headers?.[name];
  return typeof value === 'string' ? [value] : (value ?? []);
}

/** A longer `Audit-Id` of a client is replaced. */
const MAX_LENGTH = 1_024;

/**
 * The request's own `Audit-Id` where it can be sent back (a bridge refuses control characters and what is beyond
 * Latin-1) and has at most 1,024 characters, else a new UUID.
 */
export function auditIdOf(request: ApiRequest, newId = () => crypto.randomUUID() as string): string {
  const sent = header(request, 'audit-id');
  return sent !== undefined && sent.length <= MAX_LENGTH && /^[\t\x20-\x7e\x80-\xff]+$/.test(sent) ? sent : newId();
}
