/**
 * Where `part` stands first in `text` from `from` on; -1: nowhere. Parts of JSON begin with a quote, at each of which a plain
 * search stops: 0.5 µs for an event.
 *
 * @param anchor where in `part` a character stands that is rare in the text: what is looked for is the part from there on
 */
export function findText(text: string, part: string, anchor: number, from: number): number {
  const rare = part.slice(anchor);
  for (let at = text.indexOf(rare, from + anchor); at !== -1; at = text.indexOf(rare, at + 1)) {
    if (text.startsWith(part, at - anchor)) return at - anchor;
  }
  return -1;
}
