/** So much of a text that a client chose is shown in an error or a warning, in UTF-16 units. */
export const MAX_SHOWN = 256;

/**
 * The beginning of a text, with `...` behind it where something was left out. Surrogate pairs stay whole. To be used
 * before quoting: quoting looks at every character.
 */
export function shorten(text: string, most: number = MAX_SHOWN): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)}...`;
}
