import type { ListOptions } from '../../api/options/list-options.js';
import type { Batches } from '../../api/representation/contract.js';
import type { Selector } from '../../api/selectors/contract.js';
import { chain } from '../../http/promise.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { JsonPage, ListPage, Position } from '../../store/contract/event-store.js';
import { recordsSize, eventSize, type EventRecord } from '../../store/contract/record.js';
import { holdBytes } from '../request/capacity.js';
import type { VerbCall } from '../request/call.js';
import { listMeta } from './list-query.js';
import { PAGE, PageReader, type TimeSlice, type Page } from './read-pages.js';
import { everything } from '../../api/selectors/field-selector.js';
import type { JsonSource } from '../../json/json-source.js';

/** A list whose metadata is known and whose items come in batches, all of one revision. */
export interface List<Item> {
  readonly meta: ListMeta;
  /** All items if they are few; otherwise items are read on demand. */
  readonly batches: Batches<Item>;
  /** Bytes of the events that are in memory before the response begins. */
  readonly ahead: number;
}

/** The most bytes of events in a page with a limit, which is in memory before it is sent. The rest is another page. */
const LIMITED_BYTES = 33_554_432;

/** Events that are in memory before the response begins are counted above this many bytes. */
export const READ_AHEAD = 1_048_576;

/**
 * Reads the first page of a list, and with a limit all; synchronously if the store has it as JSON.
 *
 * @throws StatusFailure 400 for a bad token, 410 for a revision before the history, 504 for a future one
 */
export function readList<Item>(
  call: VerbCall,
  options: ListOptions,
  selector: Selector,
  form: ItemForm<Item>,
): List<Item> | Promise<List<Item>> {
  const pages = new PageReader(call, options, selector, form.ofJson !== undefined);
  const limit = Math.max(options.limit, 0);
  return chain(pages.first(limit || PAGE), (first): List<Item> | Promise<List<Item>> => {
    if (limit === 0 && first.next !== undefined) {
      const batches = allPages(pages, first, form);
      return { meta: listMeta(call, options, first.revision), ahead: bytesOf(first), batches };
    }
    if ('pieces' in first) return onePage(pages, first, form);
    if (limit > 0) return filled(pages, first, limit).then((page) => onePage(pages, page, form));
    return onePage(pages, { ...first, records: matching(first.records, selector) }, form);
  });
}

const matching = (records: readonly EventRecord[], selector: Selector): readonly EventRecord[] =>
  selector.empty ? records : records.filter(({ event }) => selector.matches(event));

function onePage<Item>({ call, options, selector, slice }: PageReader, page: Page, form: ItemForm<Item>): List<Item> {
  const { revision, next, remaining } = page;
  const meta = listMeta(call, options, revision, next, selector.empty ? remaining : undefined);
  const ahead = bytesOf(page);
  const batches = 'pieces' in page ? [itemsOf(page, form)] : batchesOf(page.records, ahead, form, slice);
  return { meta, ahead, batches };
}

/** Also of what a store in memory has not copied: it stays there until it is sent, although the events were removed. */
const bytesOf = (page: Page): number =>
  'pieces' in page ? page.pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) : recordsSize(page.records);

const itemsOf = <Item>({ pieces }: JsonPage, { ofJson }: ItemForm<Item>): readonly Item[] =>
  ofJson === undefined || pieces.length === 0 ? [] : [ofJson(pieces)];

async function* allPages<Item>(pages: PageReader, first: Page, form: ItemForm<Item>): AsyncGenerator<readonly Item[]> {
  for (let page = first; ; page = await pages.next(page.next)) {
    const bytes = bytesOf(page);
    if (bytes > READ_AHEAD) await holdBytes(pages.call, bytes);
    if ('pieces' in page) yield itemsOf(page, form);
    else yield* inBatches(page.records, form, pages.slice, pages.selector);
    if (page.next === undefined) return;
  }
}

/**
 * Continues reading until the page has as many matching events as the client requested. Capacity for large events is
 * acquired first: stores return copies.
 *
 * @throws StatusFailure 429 without capacity
 */
async function filled(pages: PageReader, first: ListPage, limit: number): Promise<ListPage> {
  const { selector, call } = pages;
  const records: EventRecord[] = [];
  let bytes = 0;
  let page = first;
  let last: Position | undefined;
  let examined: number;
  const full = (): boolean => records.length === limit || bytes >= LIMITED_BYTES;
  for (;;) {
    for (examined = 0; examined < page.records.length && !full(); examined++) {
      const record = page.records[examined] as EventRecord;
      last = { ...record.key, revision: record.revision };
      if (!selector.matches(record.event)) continue;
      records.push(record);
      bytes += eventSize(record.event);
    }
    if (page.next === undefined || full()) break;
    if (bytes > READ_AHEAD) {
      await holdBytes(call, Math.min((bytes / records.length) * limit, LIMITED_BYTES));
    }
    page = await pages.nextRecords(page.next, limit - records.length);
  }
  const more = page.next !== undefined || examined < page.records.length;
  // Computed from the first page, and so an estimate if events have been removed since.
  const left = first.remaining === undefined ? undefined : first.remaining + first.records.length - records.length;
  return { records, revision: first.revision, next: more ? last : undefined, remaining: left };
}

interface ItemForm<Item> {
  ofRecord(record: EventRecord): Item;
  /** Creates one item from a whole page of events as JSON. Absent if the response needs another representation. */
  readonly ofJson?: ((pieces: readonly JsonSource[]) => Item) | undefined;
}

export const RECORDS: ItemForm<EventRecord> = { ofRecord: (record) => record };

/** A batch is encoded without yielding to other requests. As YAML, this many events or bytes take up to 5 ms. */
const BATCH = 32;
const BATCH_BYTES = 131_072;

/** Events that are sent in stored form cost little, so a usual page is one batch. */
const STORED_BATCH = 512;
const STORED_BATCH_BYTES = 524_288;

function batchesOf<Item>(
  records: readonly EventRecord[],
  bytes: number,
  form: ItemForm<Item>,
  slice: TimeSlice,
): Batches<Item> {
  const [maxRecords, maxBytes] = form.ofJson === undefined ? [BATCH, BATCH_BYTES] : [STORED_BATCH, STORED_BATCH_BYTES];
  return records.length <= maxRecords && bytes <= maxBytes
    ? [records.map(form.ofRecord)]
    : inBatches(records, form, slice);
}

/** The matching records, in batches. Lets other requests run every few milliseconds, even while nothing matches. */
export async function* inBatches<Item>(
  records: readonly EventRecord[],
  { ofRecord }: ItemForm<Item>,
  slice: TimeSlice,
  selector: Selector = everything,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  let examined = 0;
  for (const record of records) {
    if (++examined % BATCH === 0 && slice.shouldYield()) await slice.yieldToLoop();
    if (!selector.matches(record.event)) continue;
    batch.push(ofRecord(record));
    bytes += eventSize(record.event);
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    // Encoding the batch took time, too.
    if (slice.shouldYield()) await slice.yieldToLoop();
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
