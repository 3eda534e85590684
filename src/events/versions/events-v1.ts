import { encodeJson } from '../../api/encode/encode-json.js';
import type { Event } from '../../model/event.js';
import { recordBytes } from '../../store/record.js';

import { coreEventShape, eventShape } from '../schema.js';
import { eventsV1Table } from '../table.js';
import { decodeUsualEvent } from './usual-event.js';
import { fromCore } from './core-form.js';
import { UnjoinedRecord } from './unjoined-record.js';
import type { EventVersion } from './version.js';

/** Labels of field selectors: the stored form is this version's, so each is called what it is. */
const SELECTABLE = [
  'reason',
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'regarding.apiVersion',
  'regarding.resourceVersion',
  'regarding.fieldPath',
  'reportingController',
  'type',
  'metadata.name',
  'metadata.namespace',
];

/** `events.<api_domain>/v1`: the version the library stores. */
export function eventsV1(apiDomain: string): EventVersion {
  const group = `events.${apiDomain}`;
  const apiVersion = `${group}/v1`;
  const shape = eventShape();
  const encoder = new TextEncoder();
  const prefix = encoder.encode(`"kind":"Event","apiVersion":"${apiVersion}",`);
  const none = new Uint8Array(0);
  return {
    group,
    version: 'v1',
    view: { apiVersion, kind: 'Event', listKind: 'EventList', shape, table: eventsV1Table },
    shape,
    otherVersions: new Map([['v1', coreEventShape()]]),
    usual: decodeUsualEvent,
    strict: true,
    fieldName: (stored) => stored,
    selectable: new Map(SELECTABLE.map((label) => [label, label])),
    objectJson: (record) => recordBytes(record, prefix),
    object: (record) => new UnjoinedRecord(record, prefix),
    listsStored: true,
    listItem: (record) => new UnjoinedRecord(record, none),
    unstoredJson: (event) => encoder.encode(encodeJson({ ...event, kind: 'Event', apiVersion }, shape)),
    fromWire: (object, from = apiVersion) => (from === apiVersion ? (object as unknown as Event) : fromCore(object)),
    toWire: (event) => event as unknown as Record<string, unknown>,
    bookmarkJson(resourceVersion, endOfInitialEvents) {
      const metadata = endOfInitialEvents
        ? { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }
        : { resourceVersion };
      return encoder.encode(encodeJson({ kind: 'Event', apiVersion, metadata }, shape));
    },
  };
}
