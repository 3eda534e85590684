import type { EventKey } from '../contract/event-store.js';
import { keyText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';

/** PostgreSQL's limit of 63 bytes, less those that derived names need. */
const MAX_SCHEMA_LENGTH = 48;
/** Longer values are indexed by their beginning: an index entry has to fit a third of a page. */
const MAX_INDEXED_LENGTH = 200;
/** In characters of at most three bytes. */
const MAX_KEY_LENGTH = 666;

export function aSchemaName(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) && value.length <= MAX_SCHEMA_LENGTH) {
    return value.startsWith('pg_') ? [`${name} must not begin with pg_: such names belong to PostgreSQL`] : [];
  }
  return [
    `${name} must be a name of ASCII letters, digits, _ and -, that begins with a letter or _, of at most ${MAX_SCHEMA_LENGTH}`,
  ];
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function channelOf(schema: string): string {
  return `${schema}.changes`;
}

/** Whether a text can be in the database: UTF-8 without a zero byte. Lone surrogates would be replaced. */
export function isStorable(text: string): boolean {
  return !/[\0\ud800-\udfff]/u.test(text);
}

/** The same position among keys without a zero byte: such keys are after `a\0b`, for any `b`, if they are after `a`. */
export function beforeNul(text: string): string {
  const at = text.indexOf('\0');
  return at < 0 ? text : text.slice(0, at);
}

/** The indexed form of a field's value: bounded, and a text that PostgreSQL accepts. */
export function indexed(value: string | undefined): string | null {
  if (value === undefined || value === '') return null;
  return value
    .slice(0, MAX_INDEXED_LENGTH)
    .replaceAll('\0', '\ufffd')
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

export function checkKey(key: EventKey): void {
  const text = keyText(key);
  if (!isStorable(text) || key.namespace.includes('/') || key.name.includes('/')) {
    throw storeError('invalid-key', 'a key is well-formed text without / and without NUL characters');
  }
  if (text.length > MAX_KEY_LENGTH)
    throw storeError('invalid-key', `the key is longer than ${MAX_KEY_LENGTH} characters`);
}
