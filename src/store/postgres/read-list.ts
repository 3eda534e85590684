import { checkReadable, expired } from '../contract/conditions.js';
import type { ListPage, ListQuery } from '../contract/event-store.js';
import { keyText } from '../contract/keys.js';
import { MAX_COUNTED, PAGE_BYTES } from '../contract/record.js';
import type { PostgresValue } from './client.js';
import { beforeNul, indexed, isStorable, quoted } from './names.js';
import type { Reads } from './reads.js';
import type { Statement } from './requests.js';
import { EVENT_COLUMNS, numberOf, recordOfRow } from './rows.js';
import { hasPassed } from './schema-lift.js';

/** The fields with an index, the more selective one first, and how plans by them are named. */
const INDEXED = [
  { field: 'regarding.uid', column: 'regarding_uid', kind: 'u' },
  { field: 'regarding.name', column: 'regarding_name', kind: 'n' },
] as const;

/**
 * The statement that reads one page: latest revision, floor, rows, and how many rows there are beyond it, of one
 * snapshot. Rows are chosen by keys, revisions and sizes alone; events are fetched only for those that are returned.
 *
 * - the present: from `current`
 * - an older revision, by key: the newest version up to it of each key, by the function `snapshot_keys`
 * - an older revision, newest first: what is still current, and what was superseded after it
 * - by a term: the few versions with the value, without those superseded in the snapshot
 */
export function listStatement(
  schema: string,
  query: ListQuery,
): { readonly statement: Statement; readonly values: readonly PostgresValue[] } {
  const { namespace, after, at } = query;
  const newestFirst = query.order === 'newest-first';
  const s = quoted(schema);
  const values: PostgresValue[] = [];
  /** Adds a value, and returns the parameter that stands for it. */
  const of = (value: string | number, type: 'text' | 'bigint'): string => `$${values.push(String(value))}::${type}`;
  const [term] = INDEXED.flatMap(({ field, ...index }) => {
    const value = indexed(query.terms?.find((given) => given.field === field)?.value);
    return value === null ? [] : { ...index, value };
  });
  const snapshot = at === undefined ? undefined : of(Math.min(Math.floor(at), Number.MAX_SAFE_INTEGER), 'bigint');
  const pageSize = of(query.limit, 'bigint');
  const limit = of(query.limit + 1 + (term === undefined ? MAX_COUNTED : 0), 'bigint');

  const keys = (column: string): string[] => {
    const conditions: string[] = [];
    if (namespace !== undefined) {
      conditions.push(`${column} > ${of(`${beforeNul(namespace)}/`, 'text')}`);
      conditions.push(`${column} < ${of(`${beforeNul(namespace)}0`, 'text')}`);
    }
    if (after !== undefined && !newestFirst) conditions.push(`${column} > ${of(beforeNul(keyText(after)), 'text')}`);
    return conditions;
  };
  const upTo = newestFirst && after?.revision !== undefined ? of(after.revision - 1, 'bigint') : undefined;
  const revisions = (column: string): string[] =>
    [upTo, snapshot].flatMap((latest) => (latest === undefined ? [] : `${column} <= ${latest}`));
  const where = (...conditions: readonly string[]): string =>
    conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const order = newestFirst ? 'ORDER BY rev DESC' : 'ORDER BY key';

  const source = (): readonly [name: string, text: string] => {
    if (term !== undefined) {
      const value = of(term.value, 'text');
      const newer = ['n.key = v.key', 'n.rev > v.rev', ...(snapshot === undefined ? [] : [`n.rev <= ${snapshot}`])];
      const conditions = [
        `v.${term.column} = ${value}`,
        ...keys('v.key'),
        ...revisions('v.rev'),
        `NOT EXISTS (SELECT FROM ${s}.versions n ${where(...newer)})`,
      ];
      return [term.kind, `SELECT v.key, v.rev FROM ${s}.versions v ${where(...conditions)}`];
    }
    if (newestFirst) {
      const inNamespace = namespace === undefined ? [] : [`namespace = ${of(beforeNul(namespace), 'text')}`];
      const current = `SELECT key, rev FROM ${s}.current ${where(...inNamespace, ...revisions('rev'))}`;
      if (snapshot === undefined) return ['c', current];
      const superseded = where(`rev > ${snapshot}`, 'previous IS NOT NULL', ...revisions('previous'), ...keys('key'));
      return [
        's',
        `(${current} ${order} LIMIT ${limit}) UNION ALL
         (SELECT key, previous AS rev FROM ${s}.versions ${superseded} ORDER BY previous DESC LIMIT ${limit})`,
      ];
    }
    if (snapshot === undefined) return ['c', `SELECT key, rev FROM ${s}.current ${where(...keys('key'))}`];
    const above = [`''`, ...(namespace === undefined ? [] : [of(`${beforeNul(namespace)}/`, 'text')])];
    if (after !== undefined) above.push(of(beforeNul(keyText(after)), 'text'));
    // No text is above the last character.
    const below = namespace === undefined ? 'chr(1114111)' : of(`${beforeNul(namespace)}0`, 'text');
    const from = `greatest(${above.map((value) => `${value} COLLATE "C"`).join(', ')})`;
    return ['s', `SELECT r_key AS key, r_rev AS rev FROM ${s}.snapshot_keys(${snapshot}, ${from}, ${below}, ${limit})`];
  };
  const [kind, text] = source();
  const shape = [at, namespace, after, newestFirst || undefined].map((part) => (part === undefined ? 0 : 1));
  const name = `${schema}.l${kind}${shape.join('')}`;
  return {
    values,
    statement: {
      name,
      text: `WITH state AS MATERIALIZED (
  SELECT (SELECT c.revision FROM ${s}.counter c) AS revision, (SELECT m.floor FROM ${s}.meta m) AS floor,
    pg_is_in_recovery() AS standby
), ahead AS MATERIALIZED (
  SELECT key, rev FROM (${text}) candidates ${order} LIMIT ${limit}
), page AS MATERIALIZED (
  SELECT rev FROM ahead ${order} LIMIT ${pageSize}
)
SELECT state.revision::text, state.floor::text, state.standby::text,${
        snapshot === undefined
          ? ''
          : `
  ${hasPassed(s, snapshot)} AS passed,`
      } (SELECT count(*) FROM ahead)::text AS ahead,
  ${EVENT_COLUMNS}
FROM state LEFT JOIN (
  SELECT v.key, v.rev, v.expires_at, v.description, v.data, sum(octet_length(data)) OVER (${order.replace(/key|rev/, 'v.$&')}) - octet_length(data) AS before
  FROM page JOIN ${s}.versions v ON v.rev = page.rev
) v ON v.before < ${PAGE_BYTES}
${order.replace(/key|rev/, 'v.$&')}`,
    },
  };
}

export async function readList(reads: Reads, schema: string, query: ListQuery): Promise<ListPage> {
  const { statement, values } = listStatement(schema, query);
  const rows = await reads.read(statement, values, query.signal);
  const [first] = rows;
  const latest = numberOf(first?.['revision']);
  const floor = numberOf(first?.['floor']);
  const revision = query.at ?? latest;
  checkReadable(revision, floor, latest);
  if (first?.['passed'] === 'false') throw expired(revision, floor);
  if (first?.['key'] === null || (query.namespace !== undefined && !isStorable(query.namespace))) {
    return { records: [], revision };
  }
  const records = rows.map(recordOfRow);
  const ahead = numberOf(first?.['ahead']);
  const last = records.at(-1);
  if (last === undefined || ahead <= records.length) return { records, revision };
  const next = query.order === 'newest-first' ? { ...last.key, revision: last.revision } : { ...last.key };
  const isCounted = !query.terms?.length && ahead <= query.limit + MAX_COUNTED;
  return { records, revision, next, ...(isCounted && { remaining: ahead - records.length }) };
}
