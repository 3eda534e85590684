import { encodeJson } from '../../api/encode/encode-json.js';
import { lazy } from '../../api/schema/lazy.js';
import { selectableFields } from '../../api/schema/shape.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/contract/record.js';
import { decodeEvent } from '../stored-form/encode-event.js';
import { coreEventShape, eventShape, SOURCE } from '../resource/schema.js';
import { eventTable } from '../resource/table.js';
import { coreName, fromCore, toCore } from './core-form.js';
import type { EventVersion } from './version.js';

/** Labels of field selectors, with what the stored form calls the field. `source` is the component or the controller. */
const selectable: () => ReadonlyMap<string, string> = lazy(() => {
  const fields = selectableFields(eventShape()).map(({ path: [first = '', ...rest] }): [string, string] => [
    [coreName(first), ...rest].join('.'),
    [first, ...rest].join('.'),
  ]);
  return new Map([...fields, [SOURCE.name, SOURCE.name]]);
});

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
    view: { apiVersion: API_VERSION, kind: 'Event', listKind: 'EventList', shape, table: eventTable(coreName) },
    shape,
    otherVersions: new Map([[`events.${apiDomain}/v1`, eventShape()]]),
    strict: false,
    fieldName: coreName,
    selectable: selectable(),
    objectJson: (record) => object(eventOf(record)),
    object: (record) => object(eventOf(record)),
    listsStored: false,
    listItem: (record) => item(eventOf(record)),
    unstoredJson: object,
    fromWire: (decoded, from = API_VERSION) =>
      from === API_VERSION ? fromCore(decoded) : (decoded as unknown as Event),
    toWire: toCore,
  };
}

/** The stored event with its revision. */
function eventOf({ event, revision }: EventRecord): Event {
  const decoded = decodeEvent(event.bytes);
  decoded.metadata.resourceVersion = String(revision);
  return decoded;
}
