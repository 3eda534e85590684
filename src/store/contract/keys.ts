import type { EventKey } from './record.js';

/** Returns `namespace/name`: lists are in the order of its bytes. */
export function keyText({ namespace, name }: EventKey): string {
  return `${namespace}/${name}`;
}

/** Returns the key for the result of {@link keyText}: namespaces have no `/`. */
export function keyOfText(text: string): EventKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Engines keep texts as UTF-8, where a lone surrogate becomes U+FFFD: the key of another event. */
export function isWellFormedKey(key: EventKey): boolean {
  const { namespace, name } = (key as EventKey | null | undefined) ?? {};
  if (typeof namespace === 'string' && typeof name === 'string') return namespace.isWellFormed() && name.isWellFormed();
  throw new TypeError('a key must be an object with the strings namespace and name');
}

export function copyOfKey({ namespace, name }: EventKey): EventKey {
  return { namespace, name };
}

/** Compares byte by byte, as etcd and SQLite order keys: negative, zero or positive. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] as number) - (other[at] as number);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** True when the bytes at `at` equal `part`. Compares from the end, because that is where most differences are. */
export function matchesAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = part.length - 1; i >= 0; i--) if (bytes[at + i] !== part[i]) return false;
  return true;
}

export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && matchesAt(one, 0, other);
}
