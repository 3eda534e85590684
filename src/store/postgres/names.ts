import type { EventKey } from '../contract/event-store.js';
import { keyText } from '../contract/keys.js';
import { storeError } from '../contract/errors.js';

/** The longest schema name: PostgreSQL's 63 bytes less what the names made of it need. */
const LONGEST_SCHEMA = 48;
/** Values that are longer are indexed by their beginning: an index entry has to fit a third of a page. */
const LONGEST_INDEXED = 200;
/** In characters, of which each has at most three bytes. */
const LONGEST_KEY = 666;

/** The rule of an option that names a schema. */
export function aSchemaName(value: unknown, name: string): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) && value.length <= LONGEST_SCHEMA) {
    return value.startsWith('pg_') ? [`${name} must not begin with pg_: such names belong to PostgreSQL`] : [];
  }
  return [
    `${name} must be a name of ASCII letters, digits, _ and -, that begins with a letter or _, of at most ${LONGEST_SCHEMA}`,
  ];
}

/** The name for SQL text. Upper case and dashes are kept. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The channel on which a schema's stores tell each other of new revisions. */
export function channelOf(schema: string): string {
  return `${schema}.changes`;
}

/**
 * Whether a text can be in the database, which has UTF-8 without a zero byte. A half of a surrogate pair would become
 * another character on its way: whatever is not storable equals nothing that is stored.
 */
export function isStorable(text: string): boolean {
  return !/[\0\ud800-\udfff]/u.test(text);
}

/**
 * What a position means to keys that cannot contain a zero byte: of such keys those after `a\0b` are those after `a`,
 * for any `b`.
 */
export function beforeNul(text: string): string {
  const at = text.indexOf('\0');
  return at < 0 ? text : text.slice(0, at);
}

/** The form in which a field's value is indexed and looked up: bounded, and a text that PostgreSQL takes. */
export function indexed(value: string | undefined): string | null {
  if (value === undefined || value === '') return null;
  return value
    .slice(0, LONGEST_INDEXED)
    .replaceAll('\0', '\ufffd')
    .replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Fails with `invalid-key` for a key that cannot be kept. The library never asks for such a one. */
export function checkKey(key: EventKey): void {
  const text = keyText(key);
  if (!isStorable(text) || key.namespace.includes('/') || key.name.includes('/')) {
    throw storeError('invalid-key', 'a key is well-formed text without / and without zero characters');
  }
  if (text.length > LONGEST_KEY) throw storeError('invalid-key', `the key is longer than ${LONGEST_KEY} characters`);
}
