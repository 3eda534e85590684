import { isAmbiguous } from './plain-scalar.js';
import { TextBuffer } from './text-buffer.js';
import { decodeUtf8, encodeUtf8 } from '../../json/utf8.js';

export interface ScalarPosition {
  /** The column of the block that the scalar belongs to; its continuation lines are indented by two more. */
  readonly indent: number;
  readonly column: number;
  /** Keys stay on one line: the margins of deep ones would be a thousand times as long as the key. */
  readonly key: boolean;
}

/** Lines are broken at the first space beyond this column. */
const WIDTH = 80;

const SPACE = 0x20;
const NEWLINE = 0x0a;
const SINGLE_QUOTE = 0x27;
const DOUBLE_QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * A text as Go's YAML library writes it: plain if it would be read as the same text, in double quotes if as another
 * type, in single quotes with indicators, as a literal block with several lines. A character takes a few nanoseconds.
 */
export function writeScalar(text: string, position: ScalarPosition): string {
  switch (styleOf(text, position.key)) {
    case 'plain':
      return fits(text, position) ? text : folded(text, position);
    case 'single':
      return singleQuoted(text, position);
    case 'literal':
      return literal(text, position);
    default:
      return doubleQuoted(text, position);
  }
}

type Style = 'plain' | 'single' | 'double' | 'literal';

/** Needs escapes: characters that are not printable, and a space at the end of a line. */
const UNPRINTABLE = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]| \n/;
/** Has a meaning of its own in YAML, at the beginning of a plain text or within it. */
const INDICATOR = /^(?:[#,[\]{}&*!|>'"%@` ]|---|\.\.\.|[-?](?: |$))|:(?: |$)|\s#/;

/** By regular expressions: a loop over the characters takes three times as long. */
function styleOf(text: string, key: boolean): Style {
  if (text === '' || UNPRINTABLE.test(text)) return 'double';
  if (text.includes('\n')) return key || text.endsWith(' ') ? 'double' : 'literal';
  if (isAmbiguous(text)) return 'double';
  return text.endsWith(' ') || INDICATOR.test(text) ? 'single' : 'plain';
}

/** Go's library writes these units as they are, apart from newlines, and escapes all others in double quotes. */
function isPrintable(unit: number): boolean {
  if (unit < 0x7f) return unit >= SPACE;
  if (unit < 0xd800) return unit >= 0xa0 && unit !== 0x2028 && unit !== 0x2029;
  return unit >= 0xe000 && unit <= 0xfffd && unit !== 0xfeff;
}

const fits = (text: string, { key, column }: ScalarPosition): boolean => key || column + text.length <= WIDTH;

const marginOf = ({ indent }: ScalarPosition): string => ' '.repeat(indent + 2);

/** Breaks a text without quotes at single spaces beyond the width. It neither begins nor ends with a space. */
function folded(text: string, position: ScalarPosition): string {
  const newLine = `\n${marginOf(position)}`;
  const column = position.indent + 2;
  let out = '';
  let from = 0;
  let at = text.indexOf(' ', WIDTH + 1 - position.column);
  while (at !== -1) {
    let next = at + 1;
    while (text.charCodeAt(next) === SPACE) next++;
    if (next === at + 1 && text.charCodeAt(at - 1) !== SPACE) {
      out += text.slice(from, at) + newLine;
      from = next;
      // No line is broken within the width.
      next += Math.max(0, WIDTH + 1 - column);
    }
    at = text.indexOf(' ', next);
  }
  return out + text.slice(from);
}

const isUnbroken = (text: string, position: ScalarPosition): boolean => fits(text, position) || !text.includes(' ');

/** A text in single quotes, broken as by {@link folded}, but not at its first or last character. */
function singleQuoted(text: string, position: ScalarPosition): string {
  if (isUnbroken(text, position) && !text.includes("'")) return `'${text}'`;
  // Space is reserved for the margins of all lines; a deep key would need gigabytes.
  const newLine = encodeUtf8(position.key ? '' : `\n${marginOf(position)}`);
  // All of its characters are printable. A megabyte of quotes takes a third of the time as bytes.
  const bytes = encodeUtf8(text);
  const last = bytes.length - 1;
  // A byte fills at most two columns, and a line is broken at a single space only.
  const lineBytes = Math.max(2, Math.floor((WIDTH - newLine.length) / 2));
  const out = new Uint8Array(2 * bytes.length + 2 + newLine.length * (1 + Math.ceil(bytes.length / lineBytes)));
  let length = 0;
  out[length++] = SINGLE_QUOTE;
  let column = position.column + 1;
  for (let at = 0; at <= last; at++) {
    const byte = bytes[at] as number;
    const breakable = byte === SPACE && column > WIDTH && !position.key && at > 0 && at < last;
    if (breakable && bytes[at - 1] !== SPACE && bytes[at + 1] !== SPACE) {
      out.set(newLine, length);
      length += newLine.length;
      column = newLine.length - 1;
      continue;
    }
    out[length++] = byte;
    if (!isContinuation(byte)) column++;
    if (byte !== SINGLE_QUOTE) continue;
    out[length++] = byte;
    column++;
  }
  out[length++] = SINGLE_QUOTE;
  return decodeUtf8(out.subarray(0, length));
}

/** True for the bytes of a character in UTF-8 after its first. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

const SIMPLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const isPlainInQuotes = (unit: number): boolean => isPrintable(unit) && unit !== DOUBLE_QUOTE && unit !== BACKSLASH;

/** Like {@link singleQuoted}, but also broken at the first of several spaces: a backslash preserves the second. */
function doubleQuoted(text: string, position: ScalarPosition): string {
  if (isUnbroken(text, position) && SIMPLE.test(text)) return `"${text}"`;
  const margin = marginOf(position);
  const last = text.length - 1;
  const out = new TextBuffer(text.length);
  out.unit(DOUBLE_QUOTE);
  let column = position.column + 1;
  for (let at = 0; at <= last; at++) {
    const unit = text.charCodeAt(at);
    const breakable = unit === SPACE && column > WIDTH && !position.key && at > 0 && at < last;
    if (breakable && text.charCodeAt(at - 1) !== SPACE) {
      out.unit(NEWLINE);
      out.ascii(margin);
      column = margin.length;
      if (text.charCodeAt(at + 1) !== SPACE) continue;
      out.unit(BACKSLASH);
      column++;
    } else if (isPlainInQuotes(unit)) {
      out.unit(unit);
      column++;
    } else {
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at++;
      column += out.escaped(code);
    }
  }
  out.unit(DOUBLE_QUOTE);
  return out.text();
}

function literal(text: string, position: ScalarPosition): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const margin = marginOf(position);
  const out = new TextBuffer(text.length);
  out.ascii(`|${hint}${chomp}\n`);
  let before = NEWLINE;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (before === NEWLINE && unit !== NEWLINE) out.ascii(margin);
    out.unit(unit);
    before = unit;
  }
  return out.text();
}
