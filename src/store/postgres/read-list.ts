import type { ListPage, ListQuery } from '../contract.js';
import { storeError } from '../errors.js';
import { COUNTED, listStatement } from './list-statement.js';
import { isStorable } from './names.js';
import type { Reads } from './reads.js';
import { numberOf, recordOfRow } from './rows.js';

/** @throws TypeError when the query cannot be answered by anybody. */
export function checkListQuery(query: ListQuery): void {
  if (!(Number.isSafeInteger(query.limit) && query.limit >= 1)) {
    throw new TypeError('list: give a limit that is a whole number of at least 1');
  }
  if (query.order === 'newest-first' && query.after !== undefined && query.after.revision === undefined) {
    throw new TypeError('list: newest-first goes on after a position with a revision');
  }
}

/** Reads one page. Fails with `expired` and `future-revision`. */
export async function readList(reads: Reads, schema: string, query: ListQuery): Promise<ListPage> {
  const { statement, values } = listStatement(schema, query);
  const rows = await reads.read(statement, values, query.signal);
  const [first] = rows;
  const latest = numberOf(first?.['revision']);
  const floor = numberOf(first?.['floor']);
  const revision = query.at ?? latest;
  if (!(revision <= latest)) {
    throw storeError('future-revision', `revision ${revision} has not happened yet`, { current: latest });
  }
  if (revision < floor || first?.['passed'] === 'false') {
    throw storeError('expired', `revision ${revision} is not in the history`, { current: floor });
  }
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
