import type { ListOptions } from '../../api/options/list-options.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { EventKey, ListPage, Position, Revision } from '../../store/contract.js';
import type { EventRecord } from '../../store/record.js';
import { listMeta, PAGE, pageFailure, PageQuery, startOf, type Start } from './list-query.js';
import { futureRevision } from '../store-failures.js';
import type { VerbCall } from '../verbs/call.js';

/** A list under way: its metadata is known, its records come in batches, all of one revision. */
export interface OpenList {
  readonly meta: ListMeta;
  readonly revision: Revision;
  readonly batches: AsyncIterable<readonly EventRecord[]> | Iterable<readonly EventRecord[]>;
}

/**
 * Begins a list: reads the first page, and with a limit everything the answer will hold.
 *
 * @throws StatusError 400 for a bad token, 410 when history no longer reaches back, 504 for a future revision
 */
export async function openList(call: VerbCall, options: ListOptions, selector: Selector): Promise<OpenList> {
  const start = startOf(call, options);
  const reader = pageReader(call, options, selector, start);
  const limit = Math.max(options.limit, 0);
  const firstPage = await reader(start.after, limit || PAGE);
  if (firstPage.revision < start.notOlderThan) throw futureRevision(options.resourceVersion, firstPage.revision);
  if (limit > 0)
    return limited(call, options, selector, firstPage, (after) => reader(after, limit, firstPage.revision));
  return {
    meta: listMeta(call, firstPage.revision),
    revision: firstPage.revision,
    batches: firstPage.next
      ? remaining(firstPage, selector, (after) => reader(after, PAGE, firstPage.revision))
      : [matching(firstPage, selector)],
  };
}

type PageReader = (after: Position | undefined, limit: number, at?: Revision) => Promise<ListPage>;

function pageReader(call: VerbCall, options: ListOptions, selector: Selector, start: Start): PageReader {
  return async (after, limit, at = start.at) => {
    try {
      return await call.environment.store.list(new PageQuery(call, selector, at, after, limit));
    } catch (error) {
      throw pageFailure(error, call, options, at, after);
    }
  };
}

const matching = (page: ListPage, selector: Selector): readonly EventRecord[] =>
  selector.empty ? page.records : page.records.filter((record) => selector.matches(record.event));

async function* remaining(
  page: ListPage,
  selector: Selector,
  read: (after: Position) => Promise<ListPage>,
): AsyncGenerator<readonly EventRecord[]> {
  let current = page;
  for (;;) {
    yield matching(current, selector);
    if (!current.next) return;
    current = await read(current.next);
  }
}

async function limited(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  page: ListPage,
  read: (after: Position) => Promise<ListPage>,
): Promise<OpenList> {
  const { limit } = options;
  const taken: EventRecord[] = [];
  let current = page;
  let last: EventKey | undefined;
  scan: for (;;) {
    for (const record of current.records) {
      if (taken.length === limit) break scan;
      last = record.key;
      if (selector.matches(record.event)) taken.push(record);
    }
    if (!current.next || taken.length === limit) break;
    current = await read(current.next);
  }
  const more = current.next !== undefined || (last !== undefined && current.records.at(-1)?.key !== last);
  const counted = selector.empty ? page.remaining : undefined;
  return {
    meta: listMeta(call, page.revision, more ? last : undefined, counted),
    revision: page.revision,
    batches: [taken],
  };
}
