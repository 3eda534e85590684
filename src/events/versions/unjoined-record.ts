import type { JsonWriter } from '../../json/json-source.js';
import { recordLength, writeRecord, type EventRecord } from '../../store/record.js';

/** A stored record behind some constant bytes, joined with its revision only where it is written. */
export class UnjoinedRecord implements JsonWriter {
  readonly byteLength: number;
  readonly #record: EventRecord;
  readonly #prefix: Uint8Array;

  constructor(record: EventRecord, prefix: Uint8Array) {
    this.#record = record;
    this.#prefix = prefix;
    this.byteLength = recordLength(record, prefix);
  }

  writeTo(out: Uint8Array, at: number): void {
    writeRecord(this.#record, this.#prefix, out, at);
  }
}
