import { isAmbiguous } from './plain-scalar.js';

/** Where a scalar goes. */
export interface ScalarPlace {
  /** The column of the block the scalar belongs to; lines after its first are two further in. */
  readonly indent: number;
  /** The column its first character gets. */
  readonly column: number;
  /** Keys stay on one line. */
  readonly key: boolean;
}

/** Lines are broken at the first space beyond this column. */
const WIDTH = 80;

/**
 * A text as Go's YAML library writes it: plain where it stays a text, in double quotes where it would turn into something
 * else, in single quotes where characters get in the way, as a block where it has lines. A block ends in a newline if the
 * text does.
 */
export function writeScalar(text: string, place: ScalarPlace): string {
  const facts = analyze(text);
  if (text.includes('\n')) {
    return place.key || !facts.blockAllowed ? doubleQuoted(text, place) : literal(text, place);
  }
  if (text === '' || isAmbiguous(text)) return doubleQuoted(text, place);
  if (facts.plainAllowed) return folded(text, place, 0);
  return facts.singleAllowed ? `'${folded(text.replaceAll("'", "''"), place, 1)}'` : doubleQuoted(text, place);
}

interface ScalarFacts {
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

/** Characters Go's library writes as they are; all others are escaped in double quotes. */
const PRINTABLE = /^[\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;
const FIRST_INDICATOR = /^[#,[\]{}&*!|>'"%@`]/;

function analyze(text: string): ScalarFacts {
  const special = !PRINTABLE.test(text) || / \n/.test(text);
  const indicators = FIRST_INDICATOR.test(text) || /^(?:---|\.\.\.)|^[-?:](?:[ \t]|$)|:(?:[ \t]|$)|[\s]#/.test(text);
  const edges = /^[ \n]|[ \n]$/.test(text);
  return {
    plainAllowed: !special && !indicators && !edges && !text.includes('\n'),
    singleAllowed: !special && !/\n /.test(text),
    blockAllowed: !special && !text.endsWith(' '),
  };
}

/**
 * Breaks a text at single spaces beyond the width.
 *
 * @param quote how many quotes stand around it: a quoted text is not broken at its first and last character
 */
function folded(text: string, place: ScalarPlace, quote: 0 | 1): string {
  if (place.key || place.column + text.length <= WIDTH) return text;
  const last = text.length - 1;
  let out = '';
  let column = place.column + quote;
  let spaces = false;
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at) as number);
    const inside = quote === 0 || (at > 0 && at < last);
    if (char === ' ' && !spaces && column > WIDTH && text[at + 1] !== ' ' && inside) {
      out += `\n${' '.repeat(place.indent + 2)}`;
      column = place.indent + 2;
    } else {
      out += char;
      column++;
    }
    spaces = char === ' ';
    at += char.length;
  }
  return out;
}

function literal(text: string, { indent }: ScalarPlace): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const margin = ' '.repeat(indent + 2);
  const lines = text.split('\n').map((line) => (line === '' ? '' : margin + line));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\u0007', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\u001b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\u0085', 'N'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

function doubleQuoted(text: string, place: ScalarPlace): string {
  const last = text.length - 1;
  let out = '"';
  let column = place.column + 1;
  let spaces = false;
  for (let at = 0; at < text.length;) {
    const char = String.fromCodePoint(text.codePointAt(at) as number);
    if (char === ' ' && !place.key && !spaces && column > WIDTH && at > 0 && at < last) {
      const backslash = text[at + 1] === ' ' ? '\\' : '';
      out += `\n${' '.repeat(place.indent + 2)}${backslash}`;
      column = place.indent + 2 + backslash.length;
    } else {
      const shown = escaped(char);
      out += shown;
      column += shown.length > 1 && !shown.startsWith('\\') ? 1 : shown.length;
    }
    spaces = char === ' ';
    at += char.length;
  }
  return `${out}"`;
}

function escaped(char: string): string {
  const short = ESCAPES.get(char);
  if (short !== undefined) return `\\${short}`;
  if (PRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) as number;
  const [letter, width] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return `\\${letter}${code
    .toString(16)
    .toUpperCase()
    .padStart(width as number, '0')}`;
}
