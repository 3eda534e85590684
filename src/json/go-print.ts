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

/** The Go type a JSON value is read into. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return isInt64(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Go writes a float with an exponent below 1e-4 and from 1e+06 on, an exponent having two digits at least. */
function printNumber(value: number): string {
  if (isInt64(value)) return BigInt(value).toString();
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** As {@link goPrint}, for a place in a text where Go's `%s` expects a string. */
export function goPrintAsText(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value) || isObject(value)) return goPrint(value);
  return value === null || value === undefined ? '%!s(<nil>)' : `%!s(${goType(value)}=${goPrint(value)})`;
}
