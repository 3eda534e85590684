import { LONG_TEXT, membersOfText } from './member-count.js';

/** What one look at a JSON text tells. Means nothing for a text that is no JSON. */
export interface JsonScan {
  /** How many keys the text has, duplicates counted. */
  readonly keys: number;
  /**
   * How many fields and items there are at most: commas and opening brackets, and what long texts count for. More than
   * asked for ends the look.
   */
  readonly members: number;
  /** How deep objects and arrays go. */
  readonly depth: number;
  /** There may be numbers with a fraction, an exponent or more than 15 digits, or escaped surrogates; or it is no JSON. */
  readonly odd: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** An escaped one. Not looked for as a text: among a million backslashes that takes ten times as long. */
const SURROGATE = /\\u[dD]/;

/**
 * Hops from quote to quote and looks only at what stands between strings: a fraction of the work of parsing. Keys are
 * counted by their colons.
 *
 * @param mostMembers where to stop: nothing else counts then
 */
export function scanJson(text: string, mostMembers: number = Infinity): JsonScan {
  let keys = 0;
  let members = 0;
  let strings = 0;
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  let odd = false;
  let at = 0;
  const escapes = text.includes('\\');
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // A key and a value for each member at most: this is no JSON, and need not be read to its end.
      if (++strings > 2 * members + 1) break;
      const end = escapes ? afterString(text, at) : afterPlainString(text, at);
      const length = end - at - 2;
      if (length >= LONG_TEXT) members += membersOfText(length);
      at = end;
      if (members > mostMembers) break;
      continue;
    }
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > 15) odd = true;
    } else {
      if (code === 0x3a) {
        if (++keys > members) break;
      } else if (code === 0x2c) {
        if (++members > mostMembers) break;
      } else if (code === 0x7b || code === 0x5b) {
        if (++members > mostMembers) break;
        deepest = Math.max(deepest, ++depth);
      } else if (code === 0x7d || code === 0x5d) depth--;
      else if (digits > 0 && (code === 0x2e || code === 0x65 || code === 0x45)) odd = true;
      digits = 0;
    }
    at++;
  }
  const wrong = keys > members || strings > 2 * members + 1;
  return {
    keys,
    members,
    depth: deepest,
    odd: odd || wrong || (escapes && SURROGATE.test(text)),
  };
}

/** {@link afterString} in a text without backslashes. */
function afterPlainString(text: string, open: number): number {
  const close = text.indexOf('"', open + 1);
  return close === -1 ? text.length : close + 1;
}

/** The place after the string that begins at `open`; the end of the text if it never ends. */
function afterString(text: string, open: number): number {
  const close = text.indexOf('"', open + 1);
  if (close === -1) return text.length;
  if (text.charCodeAt(close - 1) !== BACKSLASH) return close + 1;
  // A quote that may be escaped. The engine passes over what is in a string five times as fast as a loop here; it does so
  // in steps, because it remembers something for each character.
  const inString = /(?:[^"\\]|\\[^]){1,1000}/y;
  inString.lastIndex = open + 1;
  let at = open + 1;
  while (inString.test(text)) at = inString.lastIndex;
  return Math.min(at + 1, text.length);
}
