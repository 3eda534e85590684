import { encodeUtf8 } from './utf8.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `]` with this bit set are `{` and `}`. */
const CURLY = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The bytes of one member of valid, compact JSON: no number loses digits. `name` has no escaped characters. */
export function memberBytes(json: Uint8Array, name: string): Uint8Array | undefined {
  const key = encodeUtf8(`"${name}":`);
  let at = 1;
  while (at < json.length && json[at] === QUOTE) {
    const found = key.every((byte, i) => json[at + i] === byte);
    const start = endOfString(json, at) + 1;
    const end = endOfValue(json, start);
    if (found) return json.subarray(start, end);
    at = end + 1;
  }
  return undefined;
}

/** The index after the closing quote of the string that opens at `at`. */
function endOfString(json: Uint8Array, at: number): number {
  let i = at + 1;
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i + 1;
}

function endOfValue(json: Uint8Array, start: number): number {
  let depth = 0;
  let i = start;
  while (i < json.length) {
    const byte = json[i] as number;
    if (byte === QUOTE) {
      i = endOfString(json, i);
      continue;
    }
    if (depth === 0 && (byte === COMMA || (byte | CURLY) === CLOSE)) return i;
    if ((byte | CURLY) === OPEN) depth += 1;
    else if ((byte | CURLY) === CLOSE) depth -= 1;
    i += 1;
  }
  return i;
}
