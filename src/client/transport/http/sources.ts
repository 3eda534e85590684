import type { Clock } from '../../../clock/clock.js';
import { connectionError } from '../../contract/errors.js';
import type { TlsOptions } from './options.js';

/** A value that is read whenever it is needed, because it may change while a transport runs. */
export interface Source<Value> {
  read(signal?: AbortSignal): Promise<Value>;
  /** The value was refused, or did not work: the next read should return a new one, where there is one. */
  expire(refused?: Value): void;
}

export const constant = <Value>(value: Value): Source<Value> => ({
  read: () => Promise.resolve(value),
  expire: () => undefined,
});

/** How long the content of a file is used, as Kubernetes' clients do: it is replaced long before it expires. */
const MAX_AGE_MS = 60_000;
/** After a refusal it is read again, but not more often than this. */
const MIN_AGE_MS = 1_000;

/**
 * The content of a file that others replace, such as a token that a kubelet renews: read again when it is older than a
 * minute. When that fails, the last content is used again.
 *
 * @param what the name of the file in errors
 * @param read makes the value of the text; what it throws on is not used, as a file that cannot be read
 * @param fallback the value until the file can be read
 */
export function fileSource(
  path: string,
  what: string,
  clock: Clock,
  read: (text: string) => string = (text) => text,
  fallback?: string,
): Source<string> {
  let known = fallback === undefined ? undefined : { text: fallback, at: -Infinity };
  let reading: Promise<string> | undefined;
  let maxAgeMs = MAX_AGE_MS;

  const load = async (): Promise<string> => {
    try {
      const { readFile } = await import('node:fs/promises');
      const text = await readFile(path, 'utf8');
      if (text.trim() === '') throw new Error('it is empty');
      known = { text: read(text), at: clock.monotonic() };
    } catch (error) {
      if (known === undefined) {
        throw connectionError(`${what} cannot be read: ${(error as Error).message}`, false, error);
      }
      known = { ...known, at: clock.monotonic() };
    } finally {
      maxAgeMs = MAX_AGE_MS;
      reading = undefined;
    }
    return known.text;
  };
  return {
    read() {
      if (known !== undefined && clock.monotonic() - known.at < maxAgeMs) return Promise.resolve(known.text);
      return (reading ??= load());
    },
    expire() {
      maxAgeMs = MIN_AGE_MS;
    },
  };
}

export function tlsSource(
  parts: { readonly [Name in 'ca' | 'cert' | 'key']?: Source<string> | undefined },
  fixed: Pick<TlsOptions, 'serverName' | 'insecureSkipTlsVerify'> = {},
): Source<TlsOptions> {
  const { ca, cert, key } = parts;
  return {
    async read() {
      const [authority, certificate, secret] = await Promise.all([ca?.read(), cert?.read(), key?.read()]);
      return { ...fixed, ca: authority, cert: certificate, key: secret };
    },
    // All of them: one file may have been replaced without the others.
    expire() {
      for (const source of [ca, cert, key]) source?.expire();
    },
  };
}
