import type { Selector } from '../../api/selectors/contract.js';
import type { ListPage, Position } from '../../store/contract.js';
import { eventSize, type EventRecord } from '../../store/record.js';
import type { Pace } from './pace.js';

/**
 * What is made of one batch is made in one go: 32 events, or as many as are 128 KiB. To write so many as YAML takes up to
 * 5 ms.
 */
const BATCH = 32;
const BATCH_BYTES = 131_072;

/** What is sent as it is stored costs little: up to this much of it is one batch, a page as clients ask for it. */
const STORED_BATCH = 512;
const STORED_BATCH_BYTES = 524_288;

/** Records in order, in batches. */
export type RecordBatches = AsyncIterable<readonly EventRecord[]> | Iterable<readonly EventRecord[]>;

/** The records as one batch, or as several where they are much. `asStored`: they are sent as they are. */
export function batchesOf(records: readonly EventRecord[], asStored: boolean, pace: Pace): RecordBatches {
  const fits = asStored ? fitsIn(records, STORED_BATCH, STORED_BATCH_BYTES) : fitsIn(records, BATCH, BATCH_BYTES);
  return fits ? [records] : batched(records, pace);
}

function fitsIn(records: readonly EventRecord[], most: number, mostBytes: number): boolean {
  if (records.length > most) return false;
  let bytes = 0;
  for (const { event } of records) bytes += eventSize(event);
  return bytes <= mostBytes;
}

/** What matches of a page and those behind it. */
export async function* allBatches(
  first: ListPage,
  selector: Selector,
  pace: Pace,
  read: (after: Position) => Promise<ListPage>,
): AsyncGenerator<readonly EventRecord[]> {
  for (let page = first; ; page = await read(page.next)) {
    yield* batched(page.records, pace, selector);
    if (page.next === undefined) return;
  }
}

/** What matches of the records, in batches. Others are let work after a few milliseconds, whether anything matches or not. */
export async function* batched(
  records: readonly EventRecord[],
  pace: Pace,
  selector?: Selector,
): AsyncGenerator<readonly EventRecord[]> {
  let batch: EventRecord[] = [];
  let bytes = 0;
  let looked = 0;
  for (const record of records) {
    if (++looked % BATCH === 0 && pace.due()) await pace.rest();
    if (selector !== undefined && !selector.empty && !selector.matches(record.event)) continue;
    batch.push(record);
    bytes += eventSize(record.event);
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    // What became of the batch was work, too.
    if (pace.due()) await pace.rest();
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
