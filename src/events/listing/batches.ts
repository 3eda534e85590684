import { everything } from '../../api/selectors/field-selector.js';
import type { Selector } from '../../api/selectors/contract.js';
import { type Clock, nextTurn } from '../../clock/clock.js';
import type { JsonSource } from '../../json/json-source.js';
import { eventSize, type EventRecord } from '../../store/contract/record.js';
import type { RequestLife } from '../request/request-life.js';

/** So long one request works at a stretch, in milliseconds: the event loop is everybody's. */
const STRETCH_MS = 5;

/** How one request shares the event loop with others, however much it has to look at. */
export class Pace {
  readonly #clock: Clock;
  readonly #life: Pick<RequestLife, 'throwIfAborted'>;
  #began: number;

  /** Of a request that begins to work now. */
  constructor(clock: Clock, life: Pick<RequestLife, 'throwIfAborted'>) {
    this.#clock = clock;
    this.#life = life;
    this.#began = clock.monotonic();
  }

  /** True when it has worked long enough: who goes on waits for {@link rest} first. */
  due(): boolean {
    return this.#clock.monotonic() - this.#began >= STRETCH_MS;
  }

  /** Lets others work. @throws the reason of the request's end, if that has come */
  async rest(): Promise<void> {
    await nextTurn();
    this.#began = this.#clock.monotonic();
    this.#life.throwIfAborted();
  }
}

/** What a list is made of: records, or whatever the answer needs of them. */
export interface ItemForm<Item> {
  ofRecord(record: EventRecord): Item;
  /** One item of a whole page, from its events as JSON. Absent where that is not the form in which they are needed. */
  readonly ofJson?: ((pieces: readonly JsonSource[]) => Item) | undefined;
}

/** The records themselves. */
export const RECORDS: ItemForm<EventRecord> = { ofRecord: (record) => record };

/** Items in batches: all of them, or as they come. */
export type Batches<Item> = readonly (readonly Item[])[] | AsyncIterable<readonly Item[]>;

/**
 * What is made of one batch is made in one go: 32 events, or as many as are 128 KiB. To write so many as YAML takes up to
 * 5 ms.
 */
const BATCH = 32;
const BATCH_BYTES = 131_072;

/** What is sent as it is stored costs little: up to this much of it is one batch, a page as clients ask for it. */
const STORED_BATCH = 512;
const STORED_BATCH_BYTES = 524_288;

/** The records as one batch, or as several where they are much. */
export function batchesOf<Item>(
  records: readonly EventRecord[],
  bytes: number,
  form: ItemForm<Item>,
  pace: Pace,
): Batches<Item> {
  const [most, mostBytes] = form.ofJson === undefined ? [BATCH, BATCH_BYTES] : [STORED_BATCH, STORED_BATCH_BYTES];
  return records.length <= most && bytes <= mostBytes ? [records.map(form.ofRecord)] : inBatches(records, form, pace);
}

/** What matches of the records, in batches. Others are let work after a few milliseconds, whether anything matches or not. */
export async function* inBatches<Item>(
  records: readonly EventRecord[],
  { ofRecord }: ItemForm<Item>,
  pace: Pace,
  selector: Selector = everything,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  let examined = 0;
  for (const record of records) {
    if (++examined % BATCH === 0 && pace.due()) await pace.rest();
    if (!selector.matches(record.event)) continue;
    batch.push(ofRecord(record));
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
