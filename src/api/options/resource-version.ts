/** What Go says when text is not an unsigned 64-bit number; undefined when it is one. */
export function uintError(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  const digits = text.replace(/^0+/, '');
  const tooLarge = digits.length > 20 || (digits.length === 20 && digits > '18446744073709551615');
  return tooLarge ? `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` : undefined;
}

/**
 * A resourceVersion that was found well-formed, as a number. Our own revisions are safe integers; one beyond them lies in
 * the future whatever it is exactly.
 */
export function toRevision(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
