import type { FieldTerm, Revision } from '../contract/event-store.js';
import { compareBytes } from '../contract/keys.js';
import { sidecarFields } from '../sidecar/sidecar.js';
import { bytesOf, type SqlRow, type SqlStatement, type SqlValue } from './driver.js';
import { keyBounds, recordOf, RECORD_COLUMNS, type KeyBytes, type StoredRecord } from './stored.js';

/** How many events a search looks at before it hands out what it found and lets others work. */
const SEARCH = 4096;
/** How many rows a search reads at once. */
const CHUNK = 256;
/** Up to this many events left after a page are counted: more would cost more than the page. */
const COUNTED = 1000;
/** Up to this many candidates are sorted; where there may be more, the list is walked in its order and searched. */
const SORTABLE = 10_000;

/** A list as the engine is asked for it. The revision was checked against the history. */
export interface StoredQuery {
  readonly namespace: Uint8Array | undefined;
  readonly terms: readonly FieldTerm[];
  readonly at: Revision;
  /** `at` is the latest revision: history need not be looked at. */
  readonly isLatest: boolean;
  readonly after: { readonly key: KeyBytes; readonly revision: Revision | undefined } | undefined;
  readonly limit: number;
  readonly newestFirst: boolean;
}

/** A page as the engine reads it. */
export interface StoredPage {
  readonly records: readonly StoredRecord[];
  /** Where the next page begins; absent when nothing is left. */
  readonly next: { readonly key: KeyBytes; readonly revision: Revision } | undefined;
  /** How many are left after it, where they are few enough to be counted. */
  readonly remaining?: number | undefined;
}

/** What lists are read with: statements by their text, prepared once. */
export type Prepare = (sql: string) => SqlStatement;

/** Where a walk stands. Both bounds of the key are exclusive, `upTo` is inclusive. */
interface Range {
  above: Uint8Array;
  readonly below: Uint8Array;
  upTo: Revision;
}

/** One SELECT with its values. */
interface Part {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The objects that a term is about: a condition on the column `object` and its value. */
interface About {
  readonly condition: string;
  readonly value: SqlValue;
  /** There is only one: its events stand in the order of their keys. */
  readonly isOne: boolean;
}

/** The objects of the term that an index answers. An empty value is an absent one, and those are everywhere. */
function aboutOf(prepare: Prepare, terms: readonly FieldTerm[]): About | 'nothing' | undefined {
  for (const [field, column] of [
    ['regarding.uid', 'uid'],
    ['regarding.name', 'name'],
  ] as const) {
    const term = terms.find((one) => one.field === field && one.value !== '');
    if (term === undefined) continue;
    const value = new TextEncoder().encode(term.value);
    const objects = `SELECT id FROM objects INDEXED BY objects_${column} WHERE ${column} = ?`;
    const found = prepare(`${objects} LIMIT 2`).all(value);
    if (found.length > 1) return { condition: `object IN (${objects})`, value, isOne: false };
    return found[0] === undefined ? 'nothing' : { condition: 'object = ?', value: Number(found[0]['id']), isOne: true };
  }
  return undefined;
}

/** True when the description carries every term's value. */
function fits(description: Uint8Array, terms: readonly FieldTerm[]): boolean {
  const fields = sidecarFields(description);
  return terms.every(({ field, value }) => (Object.hasOwn(fields, field) ? fields[field] : '') === value);
}

/** The SELECTs of a list: current rows, and what a snapshot sees of those that ended later. */
function partsOf(query: StoredQuery, range: Range, about: About | undefined): Part[] {
  const { newestFirst, namespace, at } = query;
  const keys = ' AND key > ? AND key < ?';
  const keyValues = [range.above, range.below];
  const upTo = newestFirst ? Math.min(at, range.upTo) : at;

  const current = (): Part => {
    const from = (index: string, where: string): string =>
      `FROM versions INDEXED BY ${index} WHERE ended IS NULL${where}`;
    const bound = query.isLatest && !newestFirst ? '' : ' AND rev <= ?';
    const boundValues = bound === '' ? [] : [upTo];
    if (about !== undefined) {
      const sql = from('versions_object', ` AND ${about.condition}${keys}${bound}`);
      return { sql, values: [about.value, ...keyValues, ...boundValues] };
    }
    if (!newestFirst) return { sql: from('current_key', keys + bound), values: [...keyValues, ...boundValues] };
    if (namespace === undefined) return { sql: from('current_rev', bound), values: boundValues };
    return { sql: from('current_namespace', ` AND namespace = ?${bound}`), values: [namespace, ...boundValues] };
  };

  const ended = (): Part => {
    if (about !== undefined) {
      const sql = `FROM versions INDEXED BY versions_object WHERE ${about.condition} AND ended > ?${keys} AND rev <= ?`;
      return { sql, values: [about.value, at, ...keyValues, upTo] };
    }
    if (newestFirst) {
      const sql = `FROM versions INDEXED BY ended_rev WHERE ended > ? AND rev <= ?${keys}`;
      return { sql, values: [at, upTo, ...keyValues] };
    }
    const sql = `FROM versions INDEXED BY ended_key WHERE ended IS NOT NULL${keys} AND ended > ? AND rev <= ?`;
    return { sql, values: [...keyValues, at, at] };
  };

  return query.isLatest ? [current()] : [current(), ended()];
}

/** Reads rows of a list in its order. */
function readRows(
  prepare: Prepare,
  columns: string,
  query: StoredQuery,
  parts: readonly Part[],
  limit: number,
): readonly SqlRow[] {
  const order = query.newestFirst ? 'rev DESC' : 'key';
  const sql = parts.map((part) => `SELECT ${columns} ${part.sql}`).join(' UNION ALL ');
  const values = parts.flatMap((part) => part.values);
  return prepare(`${sql} ORDER BY ${order} LIMIT ?`).all(...values, limit);
}

/** True when at most {@link SORTABLE} rows would have to be looked at before they can be sorted. */
function isSortable(prepare: Prepare, query: StoredQuery, { condition, value, isOne }: About): boolean {
  const few = (where: string, ...values: readonly SqlValue[]): boolean => {
    const from = `FROM versions INDEXED BY versions_object WHERE ${condition} AND ${where}`;
    const counted = prepare(`SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT ?)`);
    return Number(counted.get(value, ...values, SORTABLE + 1)?.['n']) <= SORTABLE;
  };
  const inOrder = isOne && !query.newestFirst;
  return (inOrder || few('ended IS NULL')) && (query.isLatest || few('ended > ?', query.at));
}

function startOf({ namespace, after, at, newestFirst }: StoredQuery): Range {
  const { above, below } = keyBounds(namespace);
  if (newestFirst) return { above, below, upTo: after?.revision === undefined ? at : Math.min(at, after.revision - 1) };
  const later = after !== undefined && compareBytes(after.key, above) > 0;
  return { above: later ? after.key : above, below, upTo: at };
}

/** A list without terms: one SELECT. */
function readAll(prepare: Prepare, query: StoredQuery): StoredPage {
  const { limit } = query;
  const parts = partsOf(query, startOf(query), undefined);
  const records = readRows(prepare, RECORD_COLUMNS, query, parts, limit + 1).map(recordOf);
  const more = records.length > limit;
  if (more) records.pop();
  const next = more ? records.at(-1) : undefined;
  return { records, next, remaining: next && countAfter(prepare, query, next) };
}

/** How many events come after one; undefined where there are too many to count. */
function countAfter(
  prepare: Prepare,
  query: StoredQuery,
  { key, revision }: { readonly key: KeyBytes; readonly revision: Revision },
): number | undefined {
  const parts = partsOf(query, startOf({ ...query, after: { key, revision } }), undefined);
  const sql = parts.map((part) => `SELECT 1 ${part.sql}`).join(' UNION ALL ');
  const counted = prepare(`SELECT count(*) AS n FROM (${sql} LIMIT ?)`);
  const left = Number(counted.get(...parts.flatMap(({ values }) => values), COUNTED + 1)?.['n']);
  return left <= COUNTED ? left : undefined;
}

/** A list with terms: descriptions are looked at chunk by chunk, and the data of those that fit is fetched. */
function search(prepare: Prepare, query: StoredQuery): StoredPage {
  const { terms, limit, newestFirst } = query;
  const found = aboutOf(prepare, terms);
  if (found === 'nothing') return { records: [], next: undefined };
  const about = found !== undefined && isSortable(prepare, query, found) ? found : undefined;
  const range = startOf(query);
  const fetch = prepare(`SELECT ${RECORD_COLUMNS} FROM versions WHERE rev = ?`);
  const records: StoredRecord[] = [];
  let last: { readonly key: KeyBytes; readonly revision: Revision } | undefined;
  for (let looked = 0; ;) {
    const chunk = Math.min(CHUNK, SEARCH - looked + 1);
    const rows = readRows(prepare, 'rev, key, description', query, partsOf(query, range, about), chunk);
    for (const row of rows) {
      if (records.length === limit || looked === SEARCH) return { records, next: last };
      looked++;
      last = { key: bytesOf(row['key']), revision: Number(row['rev']) };
      if (!fits(bytesOf(row['description']), terms)) continue;
      const full = fetch.get(last.revision);
      if (full !== undefined) records.push(recordOf(full));
    }
    if (rows.length < chunk || last === undefined) return { records, next: undefined };
    range.above = newestFirst ? range.above : last.key;
    range.upTo = newestFirst ? last.revision - 1 : range.upTo;
  }
}

/** Reads one page. */
export function readStoredList(prepare: Prepare, query: StoredQuery): StoredPage {
  return query.terms.length === 0 ? readAll(prepare, query) : search(prepare, query);
}
