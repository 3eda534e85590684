/**
 * The first position of `part` in `text` from `from` on, or -1. Faster than `indexOf` for a `part` that begins with a
 * quote: `indexOf` stops at each quote of the text, which takes 0.5 µs for an event.
 *
 * @param anchor the index in `part` of a character that is rare in the text, where the search begins
 */
export function findText(text: string, part: string, anchor: number, from: number): number {
  const rare = part.slice(anchor);
  for (let at = text.indexOf(rare, from + anchor); at !== -1; at = text.indexOf(rare, at + 1)) {
    if (text.startsWith(part, at - anchor)) return at - anchor;
  }
  return -1;
}
