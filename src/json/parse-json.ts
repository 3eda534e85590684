import type { JsonDocument, JsonResult } from './json-document.js';
import { MAX_MEMBERS } from './member-count.js';
import { readExactly } from './read-exactly.js';
import { scanJson, type JsonScan } from './scan-json.js';

/**
 * How many objects and arrays may stand inside each other. Go allows 10,000; everything after the parser (merging,
 * writing JSON) is recursive in JavaScript, and nothing real comes near.
 */
export const MAX_DEPTH = 1000;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a body. Bytes that are no UTF-8 become U+FFFD; a byte order mark stays and is no JSON. */
export function bodyText(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

/**
 * Reads JSON within {@link MAX_DEPTH}, in linear time, and reports what the fast parser would hide: keys that come twice,
 * numbers that are no plain integers. The usual text goes through `JSON.parse`; only what is odd is read again, character by
 * character. Keys such as `__proto__` are plain data.
 *
 * @param scan what {@link scanJson} tells of the text
 */
export function parseScanned(text: string, scan: JsonScan): JsonResult {
  const plain = readPlain(text, scan);
  return plain && countKeys(plain.value) === plain.keys ? { document: plainDocument(plain.value) } : parseOdd(text);
}

/** What {@link parseScanned} makes of a text of which {@link readPlain} makes nothing. */
export function parseOdd(text: string): JsonResult {
  return readExactly(text, MAX_DEPTH);
}

/** JSON within a text of an object: one with too many members is an error like any other. */
export function parseEmbedded(text: string, mostMembers: number = MAX_MEMBERS): JsonResult {
  const scan = scanJson(text, mostMembers);
  if (scan.members > mostMembers) return { error: 'too many fields and list items' };
  return parseScanned(text, scan);
}

/** What {@link readPlain} finds. */
export interface PlainJson {
  readonly value: unknown;
  /** How many keys the text has, duplicates counted. */
  readonly keys: number;
}

/**
 * What {@link parseScanned} begins with: the value, and how many keys the text has. Where the value has fewer, some came
 * twice. Undefined for a text that is odd in another way, or no JSON.
 */
export function readPlain(text: string, scan: JsonScan): PlainJson | undefined {
  if (scan.depth > MAX_DEPTH || scan.odd) return undefined;
  const value = parsed(text);
  return value === undefined ? undefined : { value, keys: scan.keys };
}

/** A document of which nothing more is known than its value. */
export function plainDocument(value: unknown): JsonDocument {
  return { value, duplicates: [] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many keys a value has, at all levels. Recursive: for values within {@link MAX_DEPTH}. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    count += typeof member === 'object' ? 1 + countKeys(member) : 1;
  }
  return count;
}
