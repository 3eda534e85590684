import { encodeJson } from '../../api/encode/encode-json.js';
import type { JsonWriter } from '../../json/json-source.js';
import { encodeUtf8 } from '../../json/utf8.js';
import { selectableFields } from '../../api/schema/shape.js';
import type { Event } from '../../model/event.js';
import { recordLength, writeRecord, type EventRecord } from '../../store/contract/record.js';
import { coreEventShape, eventShape } from '../resource/schema.js';
import { eventTable } from '../resource/table.js';
import { fieldsPresent } from '../codec/compare-events.js';
import { decodeCommonEvent } from '../codec/decode-event.js';
import { fromCore } from './core-v1.js';
import type { EventVersion } from './version.js';

/** Creates the version `events.<api_domain>/v1`, which is the stored one. */
export function eventsV1(apiDomain: string): EventVersion {
  const group = `events.${apiDomain}`;
  const apiVersion = `${group}/v1`;
  const shape = eventShape();
  const prefix = encodeUtf8(`"kind":"Event","apiVersion":"${apiVersion}",`);
  const none = new Uint8Array(0);
  return {
    group,
    version: 'v1',
    view: {
      apiVersion,
      kind: 'Event',
      listKind: 'EventList',
      shape,
      table: eventTable((stored) => stored),
      fieldsPresent: (object) => fieldsPresent(object as unknown as Event),
    },
    otherVersions: new Map([['v1', coreEventShape()]]),
    decodeCommon: decodeCommonEvent,
    strict: true,
    fieldName: (stored) => stored,
    // The stored form uses the field names of this version.
    selectable: new Map(selectableFields(shape).map(({ path }) => [path.join('.'), path.join('.')])),
    object: (record) => new UnjoinedRecord(record, prefix),
    listsStored: true,
    listItem: (record) => new UnjoinedRecord(record, none),
    unstoredJson: (event) => encodeUtf8(encodeJson({ ...event, kind: 'Event', apiVersion }, shape)),
    fromWire: (object, from = apiVersion) => (from === apiVersion ? (object as unknown as Event) : fromCore(object)),
    toWire: (event) => event as unknown as Record<string, unknown>,
  };
}

/** A stored record after a constant prefix, joined with its revision only when it is written. */
class UnjoinedRecord implements JsonWriter {
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
