import { LONG_TEXT, membersOfText } from './member-count.js';

/** The result of one scan of a JSON text. Meaningless for invalid JSON. */
export interface JsonScan {
  /** Duplicates are counted. */
  readonly keys: number;
  /** An upper bound: commas, opening brackets and the weight of long texts. The scan ends at more than `maxMembers`. */
  readonly members: number;
  readonly depth: number;
  /** It may have numbers with a fraction, an exponent or over 15 digits, or escaped surrogates, or be invalid. */
  readonly needsStrictParser: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** An escaped surrogate. Not found by text search, which takes ten times as long among a million backslashes. */
const SURROGATE = /\\u[dD]/;
/** So many characters without structure are blanks, a long number, or invalid. */
const LONG_RUN = 32;
/** V8 skips a character in a tenth of the time of a loop. */
const BLANKS = /[ \t\n\r]*/y;
const NO_STRUCTURE = /[^",:[\]{}]*/y;

/** Jumps between quotes, which is cheaper than parsing. Counts keys by colons, and stops at more than `maxMembers`. */
export function scanJson(text: string, maxMembers: number): JsonScan {
  let keys = 0;
  let members = 0;
  let strings = 0;
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  let needsStrictParser = false;
  let at = 0;
  /** Where the characters without structure begin. */
  let run = 0;
  while (at < text.length) {
    if (at - run >= LONG_RUN) {
      run = afterRun(BLANKS, text, at);
      if (run === at) {
        needsStrictParser = true;
        run = afterRun(NO_STRUCTURE, text, at);
      }
      at = run;
      digits = 0;
      continue;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // More than a key and a value for each member: invalid JSON, which need not be read to its end.
      if (++strings > 2 * members + 1) break;
      const end = afterString(text, at);
      const length = end - at - 2;
      if (length >= LONG_TEXT) members += membersOfText(length);
      at = end;
      run = end;
      if (members > maxMembers) break;
      continue;
    }
    at++;
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > 15) needsStrictParser = true;
      continue;
    }
    if (code === 0x3a) {
      if (++keys > members) break;
      run = at;
    } else if (code === 0x2c) {
      if (++members > maxMembers) break;
      run = at;
    } else if (code === 0x7b || code === 0x5b) {
      if (++members > maxMembers) break;
      deepest = Math.max(deepest, ++depth);
      run = at;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      run = at;
    } else if (digits > 0 && (code === 0x2e || code === 0x65 || code === 0x45)) needsStrictParser = true;
    digits = 0;
  }
  const wrong = keys > members || strings > 2 * members + 1;
  return {
    keys,
    members,
    depth: deepest,
    needsStrictParser: needsStrictParser || wrong || (text.includes('\\') && SURROGATE.test(text)),
  };
}

function afterRun(characters: RegExp, text: string, at: number): number {
  characters.lastIndex = at;
  characters.test(text);
  return characters.lastIndex;
}

/** The position after the string that begins at `open`; the end of the text if it never ends. */
function afterString(text: string, open: number): number {
  const close = text.indexOf('"', open + 1);
  if (close === -1) return text.length;
  if (text.charCodeAt(close - 1) !== BACKSLASH) return close + 1;
  // A quote that may be escaped. V8's regular expressions skip strings five times as fast as a loop; they do so
  // in steps, because they keep state for each character.
  const inString = /(?:[^"\\]|\\[^]){1,1000}/y;
  inString.lastIndex = open + 1;
  let at = open + 1;
  while (inString.test(text)) at = inString.lastIndex;
  return Math.min(at + 1, text.length);
}
