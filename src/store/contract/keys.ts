import type { EventKey } from './record.js';

/** `namespace/name`: its bytes are the order of lists. */
export function keyText({ namespace, name }: EventKey): string {
  return `${namespace}/${name}`;
}

/** The key again: namespaces have no `/`. */
export function keyOfText(text: string): EventKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** A key that its owner cannot change. */
export function copyOfKey({ namespace, name }: EventKey): EventKey {
  return { namespace, name };
}
