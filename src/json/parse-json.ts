import type { JsonDocument, JsonResult } from './json-document.js';
import { MAX_MEMBERS } from './member-count.js';
import { parseStrictJson } from './strict-json.js';
import { scanJson, type JsonScan } from './scan-json.js';

/** Go allows 10,000; everything after the parser is recursive in JavaScript, and real objects are far below. */
export const MAX_DEPTH = 1000;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a body. Invalid UTF-8 becomes U+FFFD; a byte order mark stays and is invalid JSON. */
export function bodyText(body: Uint8Array | string): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

/** JSON inside a string of an object: too many members are an error like any other. */
export function parseEmbedded(text: string, maxMembers: number = MAX_MEMBERS): JsonResult {
  const scan = scanJson(text, maxMembers);
  if (scan.members > maxMembers) return { error: 'too many fields and list items' };
  return documentOf(text, readPlain(text, scan));
}

export interface PlainJson {
  readonly value: unknown;
  /** How many keys the text has, duplicates included: more than the value has if there are any. */
  readonly keys: number;
}

/** Works in linear time. Undefined for a text that is too deep or invalid, or that needs the strict parser. */
export function readPlain(text: string, scan: JsonScan): PlainJson | undefined {
  if (scan.depth > MAX_DEPTH || scan.needsStrictParser) return undefined;
  try {
    return { value: JSON.parse(text), keys: scan.keys };
  } catch {
    return undefined;
  }
}

/** A text without a plain value, or with duplicate keys, is read again, character by character. */
export function documentOf(text: string, plain: PlainJson | undefined): JsonResult {
  return plain && countKeys(plain.value) === plain.keys
    ? { document: plainDocument(plain.value) }
    : parseStrictJson(text, MAX_DEPTH);
}

export function plainDocument(value: unknown): JsonDocument {
  return { value, duplicates: [] };
}

/** How many keys a value has, at all levels. Recursive: for values within {@link MAX_DEPTH}. */
function countKeys(value: unknown): number {
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
