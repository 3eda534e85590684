import type { GroupVersionKind } from './contract.js';

const encoder = new TextEncoder();

/** The bytes' SHA-512 in upper-case hex, in quotes: the entity tag Kubernetes gives discovery documents. */
export async function entityTag(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-512', bytes as Uint8Array<ArrayBuffer>);
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${hex.toUpperCase()}"`;
}

/** The hash of the version in which objects are stored: base64 of the first 8 bytes of SHA-256 over `GROUP/VERSION/KIND`. */
export async function storageVersionHash({ group, version, kind }: GroupVersionKind): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${group}/${version}/${kind}`));
  return btoa(String.fromCharCode(...new Uint8Array(digest).subarray(0, 8)));
}
