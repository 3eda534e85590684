/**
 * Compares strings as Go does: by bytes of UTF-8, which is the order of code points. JavaScript's own order differs where
 * surrogate pairs are compared with characters from U+E000 on.
 */
export function byCodePoint(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  // Long common prefixes are compared in blocks, which V8 does ten times as fast.
  while (length - at > BLOCK && left.slice(at, at + BLOCK) === right.slice(at, at + BLOCK)) at += BLOCK;
  for (; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Long enough for two slices to cost less than the loop. */
const BLOCK = 128;

/** Code units in an order in which surrogates come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
