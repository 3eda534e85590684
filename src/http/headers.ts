import type { ApiRequest } from './request.js';

/** The first value of a header, as received. `name` is lower-case. */
export function header({ headers }: Pick<ApiRequest, 'headers'>, name: string): string | undefined {
  const value = headers?.[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** All values of a header in order. Lines that a server has joined with `, ` are one value. */
export function headerValues({ headers }: Pick<ApiRequest, 'headers'>, name: string): readonly string[] {
  const value = headers?.[name];
  return typeof value === 'string' ? [value] : (value ?? []);
}

/** A value beyond ASCII that consists of bytes. */
const LATIN_1 = /^(?=.*[\x80-\xff])[\0-\xff]*$/s;

/** Reads a value as UTF-8, as Go does; Node and fetch read it as Latin-1. Bytes that are not UTF-8 stay Latin-1. */
export function utf8Value(value: string): string {
  if (!LATIN_1.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, (char) => char.charCodeAt(0)));
  } catch {
    return value;
  }
}

/** A longer `Audit-Id` of a client is replaced. */
const MAX_LENGTH = 1_024;

/** The `Audit-Id` of the request if it is short and can be sent back (Latin-1, no controls), else a new one. */
export function auditIdOf(request: ApiRequest, newId = () => crypto.randomUUID() as string): string {
  const sent = header(request, 'audit-id');
  return sent !== undefined && sent.length <= MAX_LENGTH && /^[\t\x20-\x7e\x80-\xff]+$/.test(sent) ? sent : newId();
}
