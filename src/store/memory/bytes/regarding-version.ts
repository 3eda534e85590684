const KEY: readonly number[] = [...'"resourceVersion":"'].map((character) => character.charCodeAt(0));
const AT_V = KEY.indexOf(0x56);
const LONGEST = 32;

/**
 * The first `resourceVersion` after `from` in an event's bytes, if it is short and plain. The event's own is never in the
 * bytes, so that it is the regarding object's; where it is not, the store keeps the text (it compares on writing).
 */
export function regardingVersion(bytes: Uint8Array, from: number): string | undefined {
  for (let at = bytes.indexOf(0x56, from); at >= 0; at = bytes.indexOf(0x56, at + 1)) {
    const key = at - AT_V;
    if (key < from || !isKey(bytes, key)) continue;
    const start = key + KEY.length;
    let text = '';
    for (let i = start; i < start + LONGEST; i++) {
      const unit = bytes[i];
      if (unit === 0x22) return text;
      if (unit === undefined || unit < 0x20 || unit > 0x7e || unit === 0x5c) return undefined;
      text += String.fromCharCode(unit);
    }
    return undefined;
  }
  return undefined;
}

/** Whether {@link regardingVersion} would give this text, without making one. */
export function hasRegardingVersion(bytes: Uint8Array, from: number, text: string): boolean {
  if (text.length >= LONGEST) return regardingVersion(bytes, from) === text;
  for (let at = bytes.indexOf(0x56, from); at >= 0; at = bytes.indexOf(0x56, at + 1)) {
    const key = at - AT_V;
    if (key < from || !isKey(bytes, key)) continue;
    const start = key + KEY.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (bytes[start + i] !== unit || unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
    }
    return bytes[start + text.length] === 0x22;
  }
  return false;
}

function isKey(bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < KEY.length; i++) if (bytes[start + i] !== KEY[i]) return false;
  return true;
}
