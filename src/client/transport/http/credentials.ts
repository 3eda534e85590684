import type { Clock } from '../../../clock/clock.js';
import type { Caller } from '../../../model/caller.js';
import { createFileContent } from './file-content.js';
import type { HttpTransportOptions } from './options.js';

/** Who a transport is. */
export interface Credentials {
  /** The value of the Authorization header of the next request; undefined for none. */
  authorization(signal?: AbortSignal): Promise<string | undefined>;
  /** These were refused: the next ones should be new, where there are such. */
  expire(refused: string | undefined): void;
}

/** What may stand in a header, as a token or after `Basic`. */
const VISIBLE = /^[\x21-\x7e]+$/;

/** The credentials that options name. */
export function createCredentials(
  options: Pick<HttpTransportOptions, 'token' | 'tokenFile' | 'basicAuth'>,
  clock: Clock,
): Credentials {
  const { token, tokenFile, basicAuth } = options;
  if (tokenFile !== undefined) {
    const file = createFileContent(tokenFile, 'the token file', clock, (text) => text.trim());
    return { authorization: async () => bearer(await file.read()), expire: file.expire };
  }
  if (typeof token === 'function') return { authorization: async () => bearer(await token()), expire: () => undefined };
  const constant = token !== undefined ? bearer(token) : basicAuth && basic(basicAuth.username, basicAuth.password);
  return { authorization: () => Promise.resolve(constant), expire: () => undefined };
}

/** @throws TypeError for what is no token, without repeating it */
export function bearer(token: unknown): string {
  if (typeof token !== 'string' || !VISIBLE.test(token)) {
    throw new TypeError('the token must be a non-empty string without spaces');
  }
  return `Bearer ${token}`;
}

function basic(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The headers that ask to be taken for somebody else. */
export function impersonationHeaders(caller: HttpTransportOptions['impersonate']): Record<string, string | string[]> {
  if (caller === undefined) return {};
  const { name, uid, groups = [], extra = {} }: Partial<Caller> = caller;
  return {
    'impersonate-user': name as string,
    ...(uid !== undefined && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        [...values],
      ]),
    ),
  };
}
