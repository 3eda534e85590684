import { encodeJson } from '../../api/encode/encode-json.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/record.js';
import { decodeEvent } from '../stored-form/encode-event.js';
import { coreEventShape, eventShape } from '../schema.js';
import { coreV1Table } from '../table.js';
import { coreName, fromCore, toCore } from './core-form.js';
import type { EventVersion } from './version.js';

/** The parts of the object an event is about that field selectors may ask for. */
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** Labels of field selectors, with what the stored form calls the field. `source` is the component or the controller. */
const SELECTABLE: readonly (readonly [label: string, stored: string])[] = [
  ...REFERENCE_FIELDS.map((field) => [`involvedObject.${field}`, `regarding.${field}`] as const),
  ['reason', 'reason'],
  ['reportingComponent', 'reportingController'],
  ['source', 'source'],
  ['type', 'type'],
  ['metadata.name', 'metadata.name'],
  ['metadata.namespace', 'metadata.namespace'],
];

const API_VERSION = 'v1';

/**
 * The older view of the same events, `v1` of the core group: other names and another order of fields, and laxer rules.
 * `kubectl events` and the Events section of `kubectl describe` read nothing else.
 *
 * @param apiDomain names the other version, whose objects are known here, and refused
 */
export function coreV1(apiDomain: string): EventVersion {
  const shape = coreEventShape();
  const encoder = new TextEncoder();
  const item = (event: Event): Uint8Array => encoder.encode(encodeJson(toCore(event), shape));
  const object = (event: Event): Uint8Array =>
    encoder.encode(encodeJson({ kind: 'Event', apiVersion: API_VERSION, ...toCore(event) }, shape));
  return {
    group: '',
    version: 'v1',
    view: { apiVersion: API_VERSION, kind: 'Event', listKind: 'EventList', shape, table: coreV1Table },
    shape,
    otherVersions: new Map([[`events.${apiDomain}/v1`, eventShape()]]),
    strict: false,
    fieldName: coreName,
    selectable: new Map(SELECTABLE),
    objectJson: (record) => object(eventOf(record)),
    object: (record) => object(eventOf(record)),
    listsStored: false,
    listItem: (record) => item(eventOf(record)),
    unstoredJson: object,
    fromWire: (decoded, from = API_VERSION) =>
      from === API_VERSION ? fromCore(decoded) : (decoded as unknown as Event),
    toWire: toCore,
    bookmarkJson(resourceVersion, endOfInitialEvents) {
      const metadata = endOfInitialEvents
        ? { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }
        : { resourceVersion };
      return object({ metadata });
    },
  };
}

/** The stored event with its revision. */
function eventOf({ event, revision }: EventRecord): Event {
  const decoded = decodeEvent(event.bytes);
  decoded.metadata.resourceVersion = String(revision);
  return decoded;
}
