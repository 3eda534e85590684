import type { FieldTerm, Revision } from '../contract.js';
import { bytesOf, type SqlRow, type SqlStatement, type SqlValue } from './driver.js';
import { compareBytes, keyBounds, recordOf, RECORD_COLUMNS, type KeyBytes, type StoredRecord } from './stored.js';

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

type TermColumn = 'regarding_name' | 'regarding_uid';

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

/** The term that an index answers. An empty value is an absent one, and those are everywhere. */
function indexedTerm(terms: readonly FieldTerm[]): { column: TermColumn; value: Uint8Array } | undefined {
  for (const [field, column] of [
    ['regarding.uid', 'regarding_uid'],
    ['regarding.name', 'regarding_name'],
  ] as const) {
    const term = terms.find((one) => one.field === field && one.value !== '');
    if (term !== undefined) return { column, value: new TextEncoder().encode(term.value) };
  }
  return undefined;
}

/** True when the description carries every term's value. */
function fits(description: Uint8Array, terms: readonly FieldTerm[]): boolean {
  const text = new TextDecoder().decode(description);
  const [, fields] = JSON.parse(text.slice(text.indexOf(' ') + 1)) as [string, Record<string, string>];
  return terms.every(({ field, value }) => (Object.hasOwn(fields, field) ? fields[field] : '') === value);
}

/** The SELECTs of a list: current rows, and what a snapshot sees of those that ended later. */
function partsOf(
  query: StoredQuery,
  range: Range,
  column: TermColumn | undefined,
  value: Uint8Array | undefined,
): Part[] {
  const { newestFirst, namespace, at } = query;
  const term = column === undefined ? '' : ` AND ${column} = ?`;
  const termValues = value === undefined ? [] : [value];
  const keys = ' AND key > ? AND key < ?';
  const keyValues = [range.above, range.below];

  const current = (): Part => {
    const from = (index: string, where: string): string =>
      `FROM versions INDEXED BY ${index} WHERE ended IS NULL${where}`;
    const seen = query.isLatest ? '' : ' AND rev <= ?';
    const seenValues = query.isLatest ? [] : [at];
    if (column !== undefined) {
      const bound = newestFirst ? ' AND rev <= ?' : seen;
      const boundValues = newestFirst ? [range.upTo] : seenValues;
      return {
        sql: from(`current_${column}`, `${term}${keys}${bound}`),
        values: [...termValues, ...keyValues, ...boundValues],
      };
    }
    if (!newestFirst) return { sql: from('current_key', keys + seen), values: [...keyValues, ...seenValues] };
    if (namespace === undefined) return { sql: from('current_rev', ' AND rev <= ?'), values: [range.upTo] };
    return { sql: from('current_namespace', ' AND namespace = ? AND rev <= ?'), values: [namespace, range.upTo] };
  };

  const ended = (): Part => {
    if (!newestFirst && column === undefined) {
      const sql = `FROM versions INDEXED BY ended_key WHERE ended IS NOT NULL${keys} AND ended > ? AND rev <= ?`;
      return { sql, values: [...keyValues, at, at] };
    }
    const sql = `FROM versions INDEXED BY ended_rev WHERE ended > ? AND rev <= ?${keys}${term}`;
    return { sql, values: [at, newestFirst ? Math.min(at, range.upTo) : at, ...keyValues, ...termValues] };
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
function isSortable(
  prepare: Prepare,
  query: StoredQuery,
  column: TermColumn | undefined,
  value: Uint8Array | undefined,
): boolean {
  const few = (from: string, ...values: readonly SqlValue[]): boolean =>
    Number(prepare(`SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT ?)`).get(...values, SORTABLE + 1)?.['n']) <=
    SORTABLE;
  if (query.newestFirst && column !== undefined && value !== undefined) {
    const current = `FROM versions INDEXED BY current_${column} WHERE ended IS NULL AND ${column} = ?`;
    if (!few(current, value)) return false;
  }
  return query.isLatest || few('FROM versions INDEXED BY ended_rev WHERE ended > ?', query.at);
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
  const parts = partsOf(query, startOf(query), undefined, undefined);
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
  const parts = partsOf(query, startOf({ ...query, after: { key, revision } }), undefined, undefined);
  const sql = parts.map((part) => `SELECT 1 ${part.sql}`).join(' UNION ALL ');
  const counted = prepare(`SELECT count(*) AS n FROM (${sql} LIMIT ?)`);
  const left = Number(counted.get(...parts.flatMap(({ values }) => values), COUNTED + 1)?.['n']);
  return left <= COUNTED ? left : undefined;
}

/** A list with terms: descriptions are looked at chunk by chunk, and the data of those that fit is fetched. */
function search(prepare: Prepare, query: StoredQuery): StoredPage {
  const { terms, limit, newestFirst } = query;
  const indexed = indexedTerm(terms);
  const sorted =
    indexed !== undefined &&
    (query.isLatest && !newestFirst ? true : isSortable(prepare, query, indexed.column, indexed.value));
  const column = sorted ? indexed.column : undefined;
  const value = sorted ? indexed.value : undefined;
  const range = startOf(query);
  const fetch = prepare(`SELECT ${RECORD_COLUMNS} FROM versions WHERE rev = ?`);
  const records: StoredRecord[] = [];
  let last: { readonly key: KeyBytes; readonly revision: Revision } | undefined;
  for (let looked = 0; ;) {
    const chunk = Math.min(CHUNK, SEARCH - looked + 1);
    const rows = readRows(prepare, 'rev, key, description', query, partsOf(query, range, column, value), chunk);
    for (const row of rows) {
      if (records.length === limit || looked === SEARCH) return { records, next: last };
      looked++;
      last = { key: bytesOf(row['key']), revision: Number(row['rev']) };
      if (!fits(bytesOf(row['description']), terms)) continue;
      const found = fetch.get(last.revision);
      if (found !== undefined) records.push(recordOf(found));
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
