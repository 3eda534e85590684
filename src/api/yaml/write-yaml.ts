import { writeScalar } from './write-scalar.js';

/**
 * What `JSON.stringify` would make of a value, in the block layout of Go's YAML library, ending in a newline: keys sorted, two
 * spaces, lists not indented (`sigs.k8s.io/yaml`).
 */
export function writeYaml(value: unknown): string {
  const out: string[] = [];
  writeNode(out, value, -2, 'root');
  return out.join('');
}

type Parent = 'root' | 'map' | 'list';

/**
 * @param indent the column of the block this node is part of; -2 at the root
 * @param parent what the node follows: nothing, `key:` or `-`
 */
function writeNode(out: string[], value: unknown, indent: number, parent: Parent): void {
  const node = plain(value);
  if (Array.isArray(node)) {
    if (node.length === 0) writeInline(out, '[]', parent);
    else writeList(out, node, indent, parent);
  } else if (typeof node === 'object' && node !== null) {
    const members = node as Record<string, unknown>;
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    if (keys.length === 0) writeInline(out, '{}', parent);
    else writeMap(out, members, keys.sort(byNaturalOrder), indent, parent);
  } else {
    writeLeaf(out, node, indent, parent);
  }
}

/** The value as JSON would see it. */
function plain(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function') {
    return (value.toJSON as () => unknown)();
  }
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function writeInline(out: string[], text: string, parent: Parent): void {
  out.push(parent === 'root' ? `${text}\n` : ` ${text}\n`);
}

function writeLeaf(out: string[], value: unknown, indent: number, parent: Parent): void {
  if (typeof value !== 'string') {
    writeInline(out, String(value ?? null), parent);
    return;
  }
  const column = columnOf(out) + (parent === 'root' ? 0 : 1);
  const text = writeScalar(value, { indent: Math.max(indent, 0), column, key: false });
  out.push(parent === 'root' ? text : ` ${text}`);
  // A block of lines brings its own end.
  if (!text.endsWith('\n')) out.push('\n');
}

/** How many characters the last line has so far. */
function columnOf(out: readonly string[]): number {
  let column = 0;
  for (let at = out.length - 1; at >= 0; at--) {
    const piece = out[at] as string;
    const newline = piece.lastIndexOf('\n');
    if (newline !== -1) return column + [...piece.slice(newline + 1)].length;
    column += [...piece].length;
  }
  return column;
}

/** A list under a key stands at the key's own column. */
function writeList(out: string[], items: readonly unknown[], indent: number, parent: Parent): void {
  const own = parent === 'map' ? indent : indent + 2;
  if (parent === 'map') out.push('\n');
  else if (parent === 'list') out.push(' ');
  items.forEach((item, index) => {
    if (index > 0 || parent !== 'list') out.push(' '.repeat(own));
    out.push('-');
    writeNode(out, item, own, 'list');
  });
}

function writeMap(
  out: string[],
  members: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  indent: number,
  parent: Parent,
): void {
  const own = indent + 2;
  if (parent === 'map') out.push('\n');
  else if (parent === 'list') out.push(' ');
  keys.forEach((key, index) => {
    if (index > 0 || parent !== 'list') out.push(' '.repeat(own));
    const text = writeScalar(key, { indent: own, column: own, key: true });
    out.push(isSimpleKey(key) ? `${text}:` : `? ${text}\n${' '.repeat(own)}:`);
    writeNode(out, members[key], own, 'map');
  });
}

/** Longer keys need the explicit form. */
function isSimpleKey(key: string): boolean {
  return new TextEncoder().encode(key).length <= 128;
}

/** A text, or the characters of one. */
type Characters = string | readonly string[];

/** The order of keys in Go's library: letters after other characters, numbers by their value. */
function byNaturalOrder(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  let at = 0;
  while (at < common && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Where no surrogates stand, units are characters: to take texts apart for each comparison would be most of the work.
  if (isSurrogate(a.charCodeAt(at)) || isSurrogate(b.charCodeAt(at))) return inOrder([...a], [...b]);
  return orderAt(a, b, at);
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

function inOrder(left: readonly string[], right: readonly string[]): number {
  const common = Math.min(left.length, right.length);
  let at = 0;
  while (at < common && left[at] === right[at]) at++;
  return orderAt(left, right, at);
}

/** The order of two keys that are equal up to here. */
function orderAt(left: Characters, right: Characters, at: number): number {
  const common = Math.min(left.length, right.length);
  if (at === common) return left.length - right.length;
  const one = left[at] as string;
  const other = right[at] as string;
  if (isLetter(one) && isLetter(other)) return compare(one, other);
  if (isLetter(one) || isLetter(other)) return isLetter(one) ? 1 : -1;
  return byNumber(left, right, at) || compare(one, other);
}

/** Compares the digits from here on; a zero inside a longer number counts as a digit of it. */
function byNumber(left: Characters, right: Characters, at: number): number {
  let lead = 0;
  if (left[at] === '0' || right[at] === '0') {
    for (let before = at - 1; before >= 0 && isDigit(left[before] as string); before--) {
      if (left[before] !== '0') lead = 1;
    }
  }
  const one = digitsFrom(left, at, lead);
  const other = digitsFrom(right, at, lead);
  return one.value === other.value ? one.end - other.end : one.value < other.value ? -1 : 1;
}

function digitsFrom(runes: Characters, start: number, lead: number): { value: number; end: number } {
  let end = start;
  let value = lead;
  while (end < runes.length && isDigit(runes[end] as string)) value = value * 10 + Number(runes[end++]);
  return { value, end };
}

const isDigit = (rune: string): boolean => rune >= '0' && rune <= '9';
const isLetter = (rune: string): boolean => /\p{L}/u.test(rune);
const compare = (a: string, b: string): number => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
