const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

/** The bytes of a text. An unpaired surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The text of bytes, without a byte order mark. Bytes that are not UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The length of a text in UTF-8 bytes. An unpaired surrogate counts as three. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Counts UTF-8 bytes. Most texts need not be encoded, which costs 0.4 µs: a UTF-16 unit has one to three bytes. */
export function longerThan(text: string, maxBytes: number): boolean {
  const { length } = text;
  if (length > maxBytes) return true;
  // The excess if all units have three bytes; two less with each unit that has one.
  let excess = length * 3 - maxBytes;
  for (let at = 0; excess > 0; at++) {
    if (at === length) return true;
    const unit = text.charCodeAt(at);
    if (unit < 0x80) excess -= 2;
    else if (unit < 0x800) excess -= 1;
    else if (unit >= 0xd800 && unit <= 0xdfff) return byteLength(text) > maxBytes;
  }
  return false;
}

/** The same JSON with an escape for each UTF-16 unit beyond ASCII, which JSON has in strings only. */
export function asciiJson(json: Uint8Array): Uint8Array {
  const text = decodeUtf8(json);
  const ascii = text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return ascii === text ? json : encodeUtf8(ascii);
}
