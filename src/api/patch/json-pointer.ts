/** The tokens of a JSON Pointer (RFC 6901), the empty list for the whole document; undefined if it is invalid. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const tokens = text.slice(1).split('/');
  return text.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

/** The array index of a token: digits without a leading zero; undefined for other tokens and beyond `last`. */
export function arrayIndex(token: string, last: number): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(token)) return undefined;
  const index = Number(token);
  return index <= last ? index : undefined;
}
