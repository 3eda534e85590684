/** Go's error for a text that is not an unsigned 64-bit number; undefined for a valid one. */
export function uintError(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  const digits = text.replace(/^0+/, '');
  const tooLarge = digits.length > 20 || (digits.length === 20 && digits > '18446744073709551615');
  return tooLarge ? `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` : undefined;
}

/**
 * A well-formed resourceVersion as a number. Our own revisions are safe integers; one beyond them lies in
 * the future in any case.
 */
export function toRevision(text: string): number {
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
