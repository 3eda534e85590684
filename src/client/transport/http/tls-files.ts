import type { TlsOptions } from './options.js';
import type { FileContent } from './file-content.js';

/** Where the TLS configuration of new connections comes from. */
export interface TlsSource {
  /** The current one. */
  read(signal?: AbortSignal): Promise<TlsOptions>;
  /** No connection could be made with it: files are read again when it is next needed, for one may have been replaced alone. */
  expire(): void;
}

/** A text, a file that has it, or neither. */
export type Source = string | FileContent | undefined;

/** What is read when it is needed, and what never changes. */
export interface TlsParts {
  readonly ca: Source;
  readonly cert: Source;
  readonly key: Source;
  readonly fixed: Pick<TlsOptions, 'serverName' | 'insecureSkipTlsVerify'>;
}

/** A TLS configuration some parts of which are in files. */
export function createTlsSource({ ca, cert, key, fixed }: TlsParts): TlsSource {
  return {
    async read() {
      const [authority, certificate, secret] = await Promise.all([contentOf(ca), contentOf(cert), contentOf(key)]);
      return { ...fixed, ca: authority, cert: certificate, key: secret };
    },
    expire() {
      for (const source of [ca, cert, key]) if (typeof source === 'object') source.expire();
    },
  };
}

/** The text of a source. */
export const contentOf = (source: Source): Promise<string | undefined> =>
  typeof source === 'object' ? source.read() : Promise.resolve(source);
