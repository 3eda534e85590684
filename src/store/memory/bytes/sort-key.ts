import type { EventKey } from '../../contract/event-store.js';

// eslint-disable-next-line no-control-regex -- everything up to U+D7FF sorts alike in both encodings
const SAME_ORDER = /^[\u0000-\ud7ff]*$/;

/**
 * The text by which keys are ordered. JavaScript compares UTF-16 units, a list is in order of UTF-8 bytes; the two differ
 * only in that surrogates (U+10000 and up) come before U+E000–U+FFFF. Where one of these occurs, the ranges are swapped.
 */
export function byteOrdered(text: string): string {
  if (SAME_ORDER.test(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xe000) out += String.fromCharCode(unit - 0x800);
    else if (unit >= 0xd800) out += String.fromCharCode(unit + 0x2000);
    else out += text[i] as string;
  }
  return out;
}

/** The sort key of an event: `namespace/name`. */
export function sortKey(key: EventKey): string {
  // Not a template literal: V8 would keep the concatenation beside the flat string, 32 bytes more per key.
  return byteOrdered([key.namespace, key.name].join('/'));
}

/** Reverses {@link byteOrdered}. */
function fromByteOrdered(text: string): string {
  if (SAME_ORDER.test(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xf800) out += String.fromCharCode(unit - 0x2000);
    else if (unit >= 0xd800) out += String.fromCharCode(unit + 0x800);
    else out += text[i] as string;
  }
  return out;
}

/** The name in a sort key. */
export function nameOf(text: string): string {
  return fromByteOrdered(text.slice(text.indexOf('/') + 1));
}

/** The namespace in a sort key. */
export function namespaceOf(text: string): string {
  return fromByteOrdered(text.slice(0, text.indexOf('/')));
}

/** The key of a sort key. */
export function keyOf(text: string): EventKey {
  return Object.freeze({ namespace: namespaceOf(text), name: nameOf(text) });
}

/** The bounds that enclose exactly the sort keys of one namespace, both exclusive: `0` is the character after `/`. */
export function namespaceBounds(namespace: string): { readonly above: string; readonly below: string } {
  const text = byteOrdered(namespace);
  return { above: `${text}/`, below: `${text}0` };
}
