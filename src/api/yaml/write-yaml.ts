import { firstDifference } from '../../json/code-point-order.js';
import { byteLength } from '../../json/utf8.js';
import { writeScalar } from './write-scalar.js';

/** A value in the YAML layout of `sigs.k8s.io/yaml`, except that Go's library writes some keys on several lines. */
export function writeYaml(value: unknown): string {
  return [...yamlPieces(value, Infinity)].join('');
}

/** Pieces have whole lines, `length` characters or a little more. A caller can yield to the event loop between them. */
export function* yamlPieces(value: unknown, length: number): Generator<string, void, undefined> {
  const out: Output = { parts: [], remaining: length, length };
  yield* writeNode(out, value, -2, 'root');
  yield out.parts.join('');
}

/** The text since the last piece, and how many more characters complete the next one. */
interface Output {
  parts: string[];
  remaining: number;
  readonly length: number;
}

type Pieces = Generator<string, void, undefined>;
type Parent = 'root' | 'map' | 'list';

function push(out: Output, text: string): void {
  out.parts.push(text);
  out.remaining -= text.length;
}

function* endPiece(out: Output): Pieces {
  const piece = out.parts.join('');
  out.parts = [];
  out.remaining = out.length;
  yield piece;
}

/** @param indent the column of the block this node is part of; -2 at the root */
function writeNode(out: Output, value: unknown, indent: number, parent: Parent): Pieces | Iterable<never> {
  if (Array.isArray(value)) {
    if (value.length > 0) return writeBlock(out, value, undefined, indent, parent);
    writeInline(out, '[]', parent);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    if (keys.length > 0) return writeBlock(out, members, keys.sort(byNaturalOrder), indent, parent);
    writeInline(out, '{}', parent);
  } else {
    writeLeaf(out, value, indent, parent);
  }
  return NOTHING;
}

const NOTHING: readonly never[] = [];

function writeInline(out: Output, text: string, parent: Parent): void {
  push(out, parent === 'root' ? `${text}\n` : ` ${text}\n`);
}

function writeLeaf(out: Output, value: unknown, indent: number, parent: Parent): void {
  if (typeof value !== 'string') return writeInline(out, String(value ?? null), parent);
  const column = columnOf(out.parts) + (parent === 'root' ? 0 : 1);
  const text = writeScalar(value, { indent: Math.max(indent, 0), column, key: false });
  push(out, parent === 'root' ? text : ` ${text}`);
  // A literal block may end in a newline of its own.
  if (!text.endsWith('\n')) push(out, '\n');
}

function columnOf(parts: readonly string[]): number {
  let column = 0;
  for (let at = parts.length - 1; at >= 0; at--) {
    const piece = parts[at] as string;
    const newline = piece.lastIndexOf('\n');
    if (newline !== -1) return column + [...piece.slice(newline + 1)].length;
    column += [...piece].length;
  }
  return column;
}

/** The lines of a map, or of a list if there are no `keys`. A list under a key stands at the key's own column. */
function* writeBlock(
  out: Output,
  values: Readonly<Record<string, unknown>> | readonly unknown[],
  keys: readonly string[] | undefined,
  indent: number,
  parent: Parent,
): Pieces {
  const own = keys === undefined && parent === 'map' ? indent : indent + 2;
  if (parent !== 'root') push(out, parent === 'map' ? '\n' : ' ');
  const members = values as Readonly<Record<string | number, unknown>>;
  const count = (keys ?? (values as readonly unknown[])).length;
  for (let index = 0; index < count; index++) {
    if (index > 0 || parent !== 'list') push(out, ' '.repeat(own));
    const key = keys?.[index];
    // A value after an explicit key is written as an item of a list: blocks begin on the line of the colon.
    const like = key !== undefined && isSimpleKey(key) ? 'map' : 'list';
    push(out, key === undefined ? '-' : keyText(key, own, like === 'map'));
    const inner = writeNode(out, members[key ?? index], own, like);
    if (inner !== NOTHING) yield* inner;
    if (out.remaining <= 0) yield* endPiece(out);
  }
}

function keyText(key: string, indent: number, simple: boolean): string {
  const text = writeScalar(key, { indent, column: indent, key: true });
  return simple ? `${text}:` : `? ${text}\n${' '.repeat(indent)}:`;
}

const LINE_BREAK = /[\n\r\u0085\u2028\u2029]/;

/** Other keys need the explicit form, `? key`. */
function isSimpleKey(key: string): boolean {
  return (key.length <= 42 || (key.length <= 128 && byteLength(key) <= 128)) && !LINE_BREAK.test(key);
}

/** Keys may be megabytes long, and a sort compares them often: zeros are counted this many at a time. */
const CHUNK = 256;
const ZEROS = '0'.repeat(CHUNK);
const ZERO = 0x30;
const NINE = 0x39;

/** The order of keys in Go's library: letters after other characters, numbers by their value. */
function byNaturalOrder(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  let at = firstDifference(a, b);
  // Two surrogate pairs that differ in the second half.
  if (at > 0 && (isLowSurrogate(a.charCodeAt(at)) || isLowSurrogate(b.charCodeAt(at)))) at--;
  if (at === common) return a.length - b.length;
  const one = a.codePointAt(at) as number;
  const other = b.codePointAt(at) as number;
  const [letter, otherLetter] = [isLetter(one), isLetter(other)];
  if (letter !== otherLetter) return letter ? 1 : -1;
  return (letter ? 0 : byNumber(a, b, at)) || one - other;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;
const isLetter = (code: number): boolean =>
  code < 0x80 ? (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a : /\p{L}/u.test(String.fromCodePoint(code));

/** Compares the digits from `at` on; a zero inside a longer number counts as a digit of it. */
function byNumber(left: string, right: string, at: number): number {
  const lead = (left.charCodeAt(at) === ZERO || right.charCodeAt(at) === ZERO) && isInNumber(left, at) ? 1 : 0;
  const one = digitsFrom(left, at, lead);
  const other = digitsFrom(right, at, lead);
  return one.value === other.value ? one.end - other.end : one.value < other.value ? -1 : 1;
}

/** Whether a digit above zero precedes `at`, with nothing but zeros in between. */
function isInNumber(text: string, at: number): boolean {
  let before = at;
  while (before >= CHUNK && text.slice(before - CHUNK, before) === ZEROS) before -= CHUNK;
  while (before > 0 && text.charCodeAt(before - 1) === ZERO) before--;
  return before > 0 && isDigit(text.charCodeAt(before - 1));
}

function digitsFrom(text: string, start: number, lead: number): { value: number; end: number } {
  let end = start;
  let value = lead;
  while (isDigit(text.charCodeAt(end)) && value < Infinity) value = value * 10 + text.charCodeAt(end++) - ZERO;
  return { value, end: value < Infinity ? end : endOfDigits(text, end) };
}

function endOfDigits(text: string, start: number): number {
  const other = /\D/g;
  other.lastIndex = start;
  return other.exec(text)?.index ?? text.length;
}
