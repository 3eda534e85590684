/**
 * Compares strings as Go does: by bytes of UTF-8, which is the order of code points. JavaScript's own order differs where
 * surrogate pairs meet characters from U+E000 on.
 */
export function byCodePoint(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Code units in an order in which surrogates come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
