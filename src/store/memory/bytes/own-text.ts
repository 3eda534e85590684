/** What is shorter V8 copies by itself. */
const SLICED_FROM = 13;

/** The same text as a copy: what was given may be a slice of a request's whole body, which would stay in memory with it. */
export function ownText(text: string): string {
  return text.length < SLICED_FROM ? text : ` ${text}`.slice(1);
}
