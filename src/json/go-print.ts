import { byCodePoint } from './code-point-order.js';
import { isInt64, isObject } from './json-tree.js';

/** A JSON value as Go's `%v` prints it: `map[note:map[a:b]]`, `[x y]`, `<nil>`. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort(byCodePoint);
    return `map[${keys.map((key) => `${key}:${goPrint(value[key])}`).join(' ')}]`;
  }
  return typeof value === 'number' ? printNumber(value) : String(value);
}

export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return isInt64(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Below 1e-4 and from 1e+06 on, Go writes a float with an exponent, of two digits at least. */
function printNumber(value: number): string {
  if (isInt64(value)) return BigInt(value).toString();
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A JSON value as Go's `%s` prints it: strings, lists and objects as {@link goPrint}, others as `%!s(int64=5)`. */
export function goPrintAsText(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value) || isObject(value)) return goPrint(value);
  return value === null || value === undefined ? '%!s(<nil>)' : `%!s(${goType(value)}=${goPrint(value)})`;
}

/** A decimal 64-bit integer as Go's `strconv.ParseInt` reads it; undefined for any other text. */
export function toInt64(text: string): bigint | undefined {
  if (text.length > 64 || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** How much of a client's text is shown in an error or a warning, in UTF-16 units. */
export const MAX_SHOWN = 256;

/** Surrogate pairs stay whole. To be called before quoting, which reads every character. */
export function shorten(text: string, max: number = MAX_SHOWN): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max)}...`;
}

/** The texts of items as Go lists them, `a, b`; of a long list not much more than the first `max` characters. */
export function goList<T>(items: Iterable<T>, textOf: (item: T) => string, max: number = MAX_SHOWN): string {
  let list = '';
  for (const item of items) {
    if (list.length > max) break;
    list += (list && ', ') + textOf(item);
  }
  return list;
}

/**
 * The first character that Go escapes: none of the letters, marks, numbers, punctuation and symbols, nor U+0020. A
 * function, because V8 takes 0.4 ms to parse such a literal, which an import must not.
 */
export const findUnprintable = (text: string): RegExpExecArray | null => /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);

/** In the order of their escape letters. */
const SHORT = '\u0007\b\f\n\r\t\v"\\';
const LETTERS = 'abfnrtv"\\';

/** A string in double quotes as Go's `%q` writes it. */
export function goQuote(text: string): string {
  // The unprintable ones, and what quotes have to escape.
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`;
}

function escaped(character: string): string {
  const short = SHORT.indexOf(character);
  if (short >= 0) return `\\${LETTERS[short]}`;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
