/** How much of a client's text is shown in an error or a warning, in UTF-16 units. */
export const MAX_SHOWN = 256;

/**
 * The beginning of a text, followed by `...` if it was truncated. Surrogate pairs stay whole. To be called
 * before quoting, which reads every character.
 */
export function shorten(text: string, most: number = MAX_SHOWN): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)}...`;
}
