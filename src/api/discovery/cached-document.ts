import { lazy } from '../schema/lazy.js';

/** A document that is made on first use and then kept. */
export interface CachedDocument {
  readonly bytes: () => Promise<Uint8Array>;
  /** Its entity tag, as Kubernetes makes it: the bytes' SHA-512 in upper-case hex, in quotes. */
  readonly tag: () => Promise<string>;
}

const jsonOf = (document: object): Uint8Array => new TextEncoder().encode(JSON.stringify(document));

/** Writes the document with `write`, by default as JSON. */
export function cachedDocument<T extends object>(
  make: () => T | Promise<T>,
  write: (document: T) => Uint8Array | Promise<Uint8Array> = jsonOf,
): CachedDocument {
  const bytes = lazy(async () => write(await make()));
  return { bytes, tag: lazy(async () => entityTag(await bytes())) };
}

async function entityTag(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-512', bytes as Uint8Array<ArrayBuffer>);
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${hex.toUpperCase()}"`;
}
