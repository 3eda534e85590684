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

/** The SELECTs of a list, of `rev` and `key`: current versions, and what a snapshot sees of those that ended later. */
function partsOf(query: StoredQuery, range: Range, about: About | undefined): Part[] {
  const { newestFirst, namespace, at } = query;
  const keys = 'key > ? AND key < ?';
  const keyValues = [range.above, range.below];
  const upTo = newestFirst ? Math.min(at, range.upTo) : at;

  const current = (): Part => {
    if (about === undefined && newestFirst) {
      const [index, where, values] =
        namespace === undefined ? ['', '', []] : [' INDEXED BY versions_namespace', 'namespace = ? AND ', [namespace]];
      // What was replaced or deleted lately is stepped over.
      const isCurrent = 'data IS NOT NULL AND rev = (SELECT rev FROM current_events WHERE key = versions.key)';
      const sql = `SELECT rev, key FROM versions${index} WHERE ${where}rev <= ? AND ${isCurrent}`;
      return { sql, values: [...values, upTo] };
    }
    const [from, values] =
      about === undefined
        ? ['current_events WHERE ', []]
        : [`current_events INDEXED BY current_object WHERE ${about.condition} AND `, [about.value]];
    const [bound, boundValues] = query.isLatest && !newestFirst ? ['', []] : [' AND rev <= ?', [upTo]];
    return { sql: `SELECT rev, key FROM ${from}${keys}${bound}`, values: [...values, ...keyValues, ...boundValues] };
  };

  /** By revision: most lists at a revision that has passed go on with one that has just begun. */
  const ended = (): Part => {
    const [where, values] = about === undefined ? ['', []] : [` AND ${about.condition}`, [about.value]];
    const sql = `SELECT previous AS rev, key FROM ended_versions WHERE rev > ? AND previous <= ? AND size > 0 AND ${keys}${where}`;
    return { sql, values: [at, upTo, ...keyValues, ...values] };
  };

  return query.isLatest ? [current()] : [current(), ended()];
}

/** Reads rows of a list in its order. */
function readRows(
  prepare: Prepare,
  columns: readonly string[],
  query: StoredQuery,
  parts: readonly Part[],
  limit: number,
): readonly SqlRow[] {
  const by = (table: string): string => `ORDER BY ${query.newestFirst ? `${table}rev DESC` : `${table}key`}`;
  const sql = parts.map((part) => part.sql).join(' UNION ALL ');
  const values = parts.flatMap((part) => part.values);
  // Several parts are sorted before their events are read.
  const page = parts.length === 1 ? sql : `${sql} ${by('')} LIMIT ?`;
  const selected = columns.map((column) => `v.${column} AS ${column}`).join(', ');
  const joined = `SELECT ${selected} FROM (${page}) page CROSS JOIN versions v ON v.rev = page.rev ${by('page.')} LIMIT ?`;
  return prepare(joined).all(...values, ...(parts.length === 1 ? [] : [limit]), limit);
}

/** True when at most {@link SORTABLE} current events would have to be looked at before they can be sorted. */
function isSortable(prepare: Prepare, query: StoredQuery, { condition, value, isOne }: About): boolean {
  if (isOne && !query.newestFirst) return true;
  const from = `FROM current_events INDEXED BY current_object WHERE ${condition}`;
  const counted = prepare(`SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT ?)`);
  return Number(counted.get(value, SORTABLE + 1)?.['n']) <= SORTABLE;
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
  const records = readRows(prepare, RECORD_COLUMNS.split(', '), query, parts, limit + 1).map(recordOf);
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
  const sql = parts.map((part) => part.sql).join(' UNION ALL ');
  // From the other end of `versions` it would step over all that was replaced before.
  const order = query.newestFirst && parts.length === 1 ? ' ORDER BY rev DESC' : '';
  const counted = prepare(`SELECT count(*) AS n FROM (${sql}${order} LIMIT ?)`);
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
    const rows = readRows(prepare, ['rev', 'key', 'description'], query, partsOf(query, range, about), chunk);
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
