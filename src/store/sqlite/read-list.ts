import type { FieldTerm, Revision } from '../contract/event-store.js';
import { compareBytes } from '../contract/keys.js';
import { MAX_COUNTED, PAGE_BYTES } from '../contract/record.js';
import { haveValues, sidecarFields } from '../sidecar/sidecar.js';
import { type SqlConnection, type SqlRow, type SqlValue } from './driver.js';
import { encoded, keyBounds, storedRecordOf, RECORD_COLUMNS, textOf, type StoredRecord } from './stored.js';

/** How many events a search examines before it returns what it found, so that other operations can run. */
const SEARCH = 4096;
/** How many of them it reads at once. A list at a revision that has passed reads all: each time it sorts what has ended since. */
const CHUNK = 256;
/** Up to this many candidates are sorted; where there may be more, the list is searched in its order. */
const SORTABLE = 10_000;

/** A list at a revision that was checked against the history. */
export interface StoredQuery {
  readonly namespace: string | undefined;
  readonly terms: readonly FieldTerm[];
  readonly at: Revision;
  /** `at` is the latest revision: history need not be read. */
  readonly isLatest: boolean;
  readonly after: { readonly key: string; readonly revision: Revision | undefined } | undefined;
  readonly limit: number;
  readonly newestFirst: boolean;
}

export interface StoredPage {
  readonly records: readonly StoredRecord[];
  readonly next: { readonly key: string; readonly revision: Revision } | undefined;
  /** How many are left after it, if they are few enough to be counted. */
  readonly remaining?: number | undefined;
}

interface Part {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

const part = (sql: string, ...values: readonly SqlValue[]): Part => ({ sql, values });

function joined(parts: readonly Part[], separator: string): Part {
  return part(parts.map(({ sql }) => sql).join(separator), ...parts.flatMap(({ values }) => values));
}

function select(from: string, conditions: readonly Part[]): Part {
  const { sql, values } = joined(conditions, ' AND ');
  return part(`SELECT ${from} WHERE ${sql}`, ...values);
}

/** The objects that a term is about: a condition on the column `object`. */
interface About extends Part {
  /** There is only one: its events are in the order of their keys. */
  readonly isOne: boolean;
}

/** The objects of the term for which there is an index. An empty value is an absent one, which most events have. */
function aboutOf(connection: SqlConnection, terms: readonly FieldTerm[]): About | 'nothing' | undefined {
  for (const column of ['uid', 'name']) {
    const term = terms.find(({ field, value }) => field === `regarding.${column}` && value !== '');
    if (term === undefined) continue;
    const value = encoded(term.value);
    const objects = `SELECT id FROM objects INDEXED BY objects_${column} WHERE ${column} = ?`;
    const [first, second] = connection.prepare(`${objects} LIMIT 2`).all(value);
    if (second !== undefined) return { ...part(`object IN (${objects})`, value), isOne: false };
    return first === undefined ? 'nothing' : { ...part('object = ?', first['id'] as number), isOne: true };
  }
  return undefined;
}

/** Selects current versions, and those that ended later, which a snapshot still sees. */
function versionsOf({ namespace, at, after, newestFirst, isLatest }: StoredQuery, about?: About): Part {
  const [above, below] = keyBounds(namespace);
  const last = newestFirst || after === undefined ? above : encoded(after.key);
  const keys = part('key > ? AND key < ?', compareBytes(last, above) > 0 ? last : above, below);
  const upTo = newestFirst && after?.revision !== undefined ? Math.min(at, after.revision - 1) : at;
  const objects = about === undefined ? [] : [about];
  const current =
    about === undefined && newestFirst
      ? select(`rev, key FROM versions${namespace === undefined ? '' : ' INDEXED BY versions_namespace'}`, [
          ...(namespace === undefined ? [] : [part('namespace = ?', encoded(namespace))]),
          part('rev <= ?', upTo),
          // Skips versions that were replaced or deleted recently.
          part('data IS NOT NULL AND rev = (SELECT rev FROM current_events WHERE key = versions.key)'),
        ])
      : select(`rev, key FROM current_events${about === undefined ? '' : ' INDEXED BY current_object'}`, [
          ...objects,
          keys,
          // In the order of keys nothing is newer than the latest.
          ...(isLatest && !newestFirst ? [] : [part('rev <= ?', upTo)]),
        ]);
  if (isLatest) return current;
  // By revision: most lists at a revision that has passed continue one that has just begun.
  const changed = part('rev > ? AND previous <= ? AND size > 0', at, upTo);
  const ended = select('previous AS rev, key FROM ended_versions', [changed, keys, ...objects]);
  return joined([current, ended], ' UNION ALL ');
}

const named = (columns: string): string => columns.replace(/\w+/g, 'v.$& AS $&');
const RECORD: string = named(RECORD_COLUMNS);

/** @param columns those of `versions v` */
function readRows(
  connection: SqlConnection,
  columns: string,
  { newestFirst, isLatest }: StoredQuery,
  versions: Part,
  limit: number,
): readonly SqlRow[] {
  const order = newestFirst ? 'rev DESC' : 'key';
  // The versions of a snapshot are sorted before their events are read.
  const page = isLatest ? versions : joined([versions, part(`ORDER BY ${order} LIMIT ?`, limit)], ' ');
  const sql = `SELECT ${columns} FROM (${page.sql}) page CROSS JOIN versions v ON v.rev = page.rev ORDER BY page.${order} LIMIT ?`;
  return connection.prepare(sql).all(...page.values, limit);
}

/** How many rows a SELECT has; `undefined`: more than `max`. */
function countUpTo(max: number, connection: SqlConnection, { sql, values }: Part): number | undefined {
  const row = connection.prepare(`SELECT count(*) AS n FROM (${sql} LIMIT ?)`).get(...values, max + 1);
  const found = row?.['n'] as number;
  return found <= max ? found : undefined;
}

/** Selects versions that were found: to find those of a snapshot again would take as long as before. */
function atRevisions(revisions: readonly unknown[]): Part {
  const values = 'SELECT value FROM json_each(CAST(? AS TEXT))';
  return part(`SELECT rev, key FROM versions WHERE rev IN (${values})`, encoded(JSON.stringify(revisions)));
}

/** A list without terms. Sizes are read first: they cost a tenth of the events. */
function readAll(connection: SqlConnection, query: StoredQuery): StoredPage {
  const { limit, newestFirst, isLatest } = query;
  const versions = versionsOf(query);
  const sizes = readRows(connection, `${named('rev')}, length(v.data) AS size`, query, versions, limit + 1);
  let bytes = 0;
  let fitting = 0;
  for (; fitting < Math.min(limit, sizes.length); fitting++) {
    bytes += sizes[fitting]?.['size'] as number;
    if (fitting > 0 && bytes > PAGE_BYTES) break;
  }
  const found = isLatest ? versions : atRevisions(sizes.slice(0, fitting).map(({ rev }) => rev));
  const records = readRows(connection, RECORD, query, found, fitting).map(storedRecordOf);
  if (records.length === sizes.length) return { records, next: undefined };
  const next = records.at(-1) as StoredRecord;
  const rest = versionsOf({ ...query, after: next });
  // From the other end of `versions` it would skip all versions that were replaced before.
  const ordered = newestFirst && isLatest ? joined([rest, part('ORDER BY rev DESC')], ' ') : rest;
  return { records, next, remaining: countUpTo(MAX_COUNTED, connection, ordered) };
}

/** A list with terms: sidecars are compared chunk by chunk, and the data of those that match is fetched. */
function search(connection: SqlConnection, query: StoredQuery): StoredPage {
  const { terms, limit, newestFirst, isLatest } = query;
  const found = aboutOf(connection, terms);
  if (found === 'nothing') return { records: [], next: undefined };
  const isSortable =
    found !== undefined &&
    ((found.isOne && !newestFirst) ||
      countUpTo(SORTABLE, connection, select('1 FROM current_events INDEXED BY current_object', [found])) !==
        undefined);
  const about = isSortable ? found : undefined;
  const fetch = connection.prepare(`SELECT ${RECORD_COLUMNS} FROM versions WHERE rev = ?`);
  const records: StoredRecord[] = [];
  let bytes = 0;
  let next: StoredPage['next'];
  for (let examined = 0; ;) {
    const chunk = Math.min(isLatest ? CHUNK : SEARCH, SEARCH - examined + 1);
    const versions = versionsOf({ ...query, after: next ?? query.after }, about);
    const rows = readRows(connection, named('rev, key, description'), query, versions, chunk);
    for (const { rev, key, description } of rows) {
      if (records.length === limit || examined === SEARCH || bytes > PAGE_BYTES) return { records, next };
      examined++;
      next = { key: textOf(key), revision: rev as Revision };
      if (!haveValues(sidecarFields(textOf(description)), terms)) continue;
      const record = storedRecordOf(fetch.get(next.revision) as SqlRow);
      records.push(record);
      bytes += record.data.byteLength;
    }
    if (rows.length < chunk) return { records, next: undefined };
  }
}

/**
 * Copies the events of a page into one buffer: while V8 marks garbage, the arrival of each buffer in the service's thread can
 * take 5 ms of marking (V8's `ReportExternalMemoryPressure`).
 */
function inOneBuffer(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const all = new Uint8Array(records.reduce((sum, { data }) => sum + data.byteLength, 0));
  let begin = 0;
  return records.map((record) => {
    const end = begin + record.data.byteLength;
    const data = all.subarray(begin, end);
    data.set(record.data);
    begin = end;
    return { ...record, data };
  });
}

export function readStoredList(connection: SqlConnection, query: StoredQuery): StoredPage {
  const page = query.terms.length === 0 ? readAll(connection, query) : search(connection, query);
  return { ...page, records: inOneBuffer(page.records) };
}
