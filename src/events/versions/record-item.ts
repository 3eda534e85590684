import type { UnjoinedItem } from '../../api/representation/list-form.js';
import { recordLength, writeRecord, type EventRecord } from '../../store/record.js';

const NO_PREFIX = new Uint8Array(0);

/** A stored record as an item of a list, joined with its revision only where it is written. */
export class RecordItem implements UnjoinedItem {
  readonly byteLength: number;
  readonly #record: EventRecord;

  constructor(record: EventRecord) {
    this.#record = record;
    this.byteLength = recordLength(record, NO_PREFIX);
  }

  writeTo(out: Uint8Array, at: number): void {
    writeRecord(this.#record, NO_PREFIX, out, at);
  }
}
