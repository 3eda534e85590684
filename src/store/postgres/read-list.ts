import type { ListPage, ListQuery } from '../contract/event-store.js';
import { checkReadable, expired } from '../contract/conditions.js';
import { COUNTED, listStatement } from './list-statement.js';
import { isStorable } from './names.js';
import type { Reads } from './reads.js';
import { numberOf, recordOfRow } from './rows.js';

/** Reads one page. Fails with `expired` and `future-revision`. */
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
  const records = rows.slice(0, query.limit).map(recordOfRow);
  const last = records.at(-1);
  if (last === undefined || rows.length <= query.limit) return { records, revision };
  const next = query.order === 'newest-first' ? { ...last.key, revision: last.revision } : { ...last.key };
  const left = numberOf(first?.['ahead']) - query.limit;
  return { records, revision, next, ...(!query.terms?.length && left <= COUNTED && { remaining: left }) };
}
