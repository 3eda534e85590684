import type { ListOptions } from '../../api/options/list-options.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { EventKey, ListPage, Position, Revision } from '../../store/contract.js';
import { eventSize, type EventRecord } from '../../store/record.js';
import { listMeta, pageFailure, PageQuery, startOf, type Start } from './list-query.js';
import { futureRevision } from '../request/store-failures.js';
import type { VerbCall } from '../request/call.js';
import { createPace, type Pace } from './pace.js';
import { createPageSizes, PAGE } from './page-sizes.js';
import { batchesOf, allBatches, type RecordBatches } from './record-batches.js';

/** A list under way: its metadata is known, its records come in batches, all of one revision. */
export interface OpenList {
  readonly meta: ListMeta;
  readonly revision: Revision;
  readonly batches: RecordBatches;
  /** Bytes of the events that were read before the answer begins. */
  readonly ahead: number;
}

/** A client's page ends early, with a token, when it holds so many bytes of events: it is in memory before it is sent. */
const LIMITED_BYTES = 33_554_432;

/**
 * Begins a list: reads the first page, and with a limit everything the answer will hold. However much a selector passes
 * over, others are let work in between, and nothing more is read once the request is over.
 *
 * @throws StatusError 400 for a bad token, 410 when history no longer reaches back, 504 for a future revision
 */
export async function openList(call: VerbCall, options: ListOptions, selector: Selector): Promise<OpenList> {
  const start = startOf(call, options);
  const pace = createPace(call.environment.clock, call.life);
  const reader = pageReader(call, options, selector, start, pace);
  const limit = Math.max(options.limit, 0);
  const firstPage = await reader(start.after, limit || PAGE);
  if (firstPage.revision < start.notOlderThan) throw futureRevision(options.resourceVersion, firstPage.revision);
  const { revision } = firstPage;
  if (limit > 0) {
    return limited(call, options, selector, firstPage, pace, (after, wanted) => reader(after, wanted, revision));
  }
  return {
    meta: listMeta(call, revision),
    revision,
    ahead: bytesOf(firstPage.records),
    batches: firstPage.next
      ? allBatches(firstPage, selector, pace, (after) => reader(after, PAGE, revision))
      : batchesOf(matching(firstPage, selector), sentAsStored(call), pace),
  };
}

const sentAsStored = ({ joinsItems, version }: VerbCall): boolean => joinsItems && version.listsStored;

function bytesOf(records: readonly EventRecord[]): number {
  let bytes = 0;
  for (const { event } of records) bytes += eventSize(event);
  return bytes;
}

type PageReader = (after: Position | undefined, wanted: number, at?: Revision) => Promise<ListPage>;

function pageReader(call: VerbCall, options: ListOptions, selector: Selector, start: Start, pace: Pace): PageReader {
  const sizes = createPageSizes(!selector.empty);
  let pages = 0;
  return async (after, wanted, at = start.at) => {
    // A store that has everything at hand answers in the same turn: that alone lets nobody else work.
    if (pages++ > 0) {
      pace.requireGoingOn();
      if (pace.due()) await pace.rest();
    }
    try {
      const page = await call.environment.store.list(new PageQuery(call, selector, at, after, sizes.next(wanted)));
      sizes.read(page);
      return page;
    } catch (error) {
      throw pageFailure(error, call, options, at, after);
    }
  };
}

const matching = (page: ListPage, selector: Selector): readonly EventRecord[] =>
  selector.empty ? page.records : page.records.filter((record) => selector.matches(record.event));

async function limited(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  page: ListPage,
  pace: Pace,
  read: (after: Position, wanted: number) => Promise<ListPage>,
): Promise<OpenList> {
  const { limit } = options;
  const taken: EventRecord[] = [];
  let bytes = 0;
  let current = page;
  let last: EventKey | undefined;
  const full = (): boolean => taken.length === limit || bytes >= LIMITED_BYTES;
  scan: for (;;) {
    for (const record of current.records) {
      if (full()) break scan;
      last = record.key;
      if (!selector.matches(record.event)) continue;
      taken.push(record);
      bytes += eventSize(record.event);
    }
    if (!current.next || full()) break;
    current = await read(current.next, limit - taken.length);
  }
  const more = current.next !== undefined || (last !== undefined && current.records.at(-1)?.key !== last);
  // What was left after the first page, of which others may have been taken since.
  const left = page.remaining === undefined ? undefined : page.remaining + page.records.length - taken.length;
  return {
    meta: listMeta(call, page.revision, more ? last : undefined, selector.empty ? left : undefined),
    revision: page.revision,
    ahead: bytes,
    batches: batchesOf(taken, sentAsStored(call), pace),
  };
}
