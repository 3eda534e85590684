/** Quotes as Go's `time` package does in errors: each byte outside ASCII, and each control but DEL, as `\xNN`. */
export function quote(text: string): string {
  const quoted = text.replace(/["\\]/g, '\\$&');
  if (/^[ -\x7f]*$/.test(quoted)) return `"${quoted}"`;
  let out = '';
  for (const byte of new TextEncoder().encode(quoted)) {
    out += byte >= 0x20 && byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `"${out}"`;
}
