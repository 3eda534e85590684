import type { EventKey } from '../../contract/event-store.js';

const SURROGATES = 0xd800;
/** The value of `middle` that reverses {@link byteOrdered}. */
const REVERSED = 0xf800;
const REORDERED = /[\ud800-\uffff]/;

/** Exchanges the UTF-16 units from U+D800 up to, not including, `middle` with those from `middle` on. */
function exchanged(text: string, middle: number): string {
  if (!REORDERED.test(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const shift = unit >= middle ? SURROGATES - middle : unit >= SURROGATES ? 0x10000 - middle : 0;
    out += String.fromCharCode(unit + shift);
  }
  return out;
}

/** Exchanges two ranges: in UTF-16, unlike UTF-8, surrogates (U+10000 and up) sort before U+E000–U+FFFF. */
function byteOrdered(text: string): string {
  return exchanged(text, 0xe000);
}

export function sortKey(key: EventKey): string {
  // Not a template literal: V8 would keep the concatenation beside the flat string, 32 bytes more per key.
  return byteOrdered([key.namespace, key.name].join('/'));
}

export function nameOf(text: string): string {
  return exchanged(text.slice(text.indexOf('/') + 1), REVERSED);
}

export function namespaceOf(text: string): string {
  return exchanged(text.slice(0, text.indexOf('/')), REVERSED);
}

export function keyOf(text: string): EventKey {
  return Object.freeze({ namespace: namespaceOf(text), name: nameOf(text) });
}

/** The bounds that enclose exactly the sort keys of one namespace, both exclusive: `0` is the character after `/`. */
export function namespaceBounds(namespace: string): { readonly above: string; readonly below: string } {
  const text = byteOrdered(namespace);
  return { above: `${text}/`, below: `${text}0` };
}
