/** V8 copies shorter strings instead of slicing them. */
const SLICED_FROM = 13;

/** Returns a copy of a text that may be a slice of a whole request, which the slice would keep in memory. */
export function ownText(text: string): string {
  return text.length < SLICED_FROM ? text : ` ${text}`.slice(1);
}
