import type { Clock } from '../../../clock/clock.js';
import { toBase64 } from '../../../http/bytes.js';
import { messageOf } from '../../../model/error-message.js';
import type { Caller } from '../../../model/caller.js';
import { connectionError } from '../../contract/errors.js';
import { isToken, type HttpTransportOptions } from './options.js';
import { constant, fileSource, type Source } from './sources.js';

/**
 * The value of the Authorization header of the next request, according to the options; undefined for none. A token
 * beside a token file counts while the file cannot be read.
 */
export function createCredentials(
  { token, tokenFile, basicAuth }: Pick<HttpTransportOptions, 'token' | 'tokenFile' | 'basicAuth'>,
  clock: Clock,
): Source<string | undefined> {
  if (typeof token === 'function') return { read: () => given(token), expire: () => undefined };
  const fixed = token !== undefined ? bearer(token) : basicAuth && basic(basicAuth.username, basicAuth.password);
  if (tokenFile === undefined) return constant(fixed);
  return fileSource(tokenFile, 'the token file', clock, (text) => bearer(text.trim()), fixed);
}

/** A function fails like a server that is not reached, because it may ask one for the token. */
async function given(token: () => string | Promise<string>): Promise<string> {
  try {
    return bearer(await token());
  } catch (error) {
    throw connectionError(`there is no token: ${messageOf(error)}`, false, error);
  }
}

/** @throws TypeError for an invalid token, without repeating it */
export function bearer(token: unknown): string {
  if (!isToken(token)) throw new TypeError('the token must be a non-empty string without spaces');
  return `Bearer ${token}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${toBase64(new TextEncoder().encode(`${username}:${password}`))}`;
}

/** The headers of impersonation. Connections write header values as Latin-1, so that these are the bytes of UTF-8. */
export function impersonationHeaders(caller: HttpTransportOptions['impersonate']): Record<string, string | string[]> {
  if (caller === undefined) return {};
  const { name, uid, groups = [], extra = {} }: Partial<Caller> = caller;
  return {
    'impersonate-user': utf8(name as string),
    ...(uid !== undefined && { 'impersonate-uid': utf8(uid) }),
    ...(groups.length > 0 && { 'impersonate-group': groups.map(utf8) }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        // Parentheses are left as they are by encodeURIComponent, and refused in the name of a header.
        `impersonate-extra-${encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29').toLowerCase()}`,
        values.map(utf8),
      ]),
    ),
  };
}

/** A text whose Latin-1 bytes are the UTF-8 bytes of this one. */
function utf8(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
