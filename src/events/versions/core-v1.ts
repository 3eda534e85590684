import { lazy } from '../../api/schema/lazy.js';
import { olderName, selectableFields, type FieldShape, type StructShape } from '../../api/schema/shape.js';
import type { Event } from '../../model/event.js';
import { coreEventShape, eventShape, SOURCE } from '../resource/schema.js';
import { encodeJson } from '../../api/encode/encode-json.js';
import type { EventRecord } from '../../store/contract/record.js';
import { decodeEvent } from '../stored-form/encode-event.js';
import { eventTable } from '../resource/table.js';
import type { EventVersion } from './version.js';
import { encodeUtf8 } from '../../json/utf8.js';

type Fields = Record<string, unknown>;
type Form = 'core' | 'stored';

interface FieldPair {
  readonly core: string;
  readonly stored: string;
  /** The form that has a value for an unset field, which the other one omits. */
  readonly filled: Form | undefined;
  readonly zero: unknown;
  /** The fields of a struct, if they differ. */
  readonly below: readonly FieldPair[] | undefined;
}

/** All fields except kind and apiVersion, in the order of core/v1. */
const fieldPairs: () => readonly FieldPair[] = lazy(() => pairsOf(coreEventShape(), eventShape()).slice(2));

function pairsOf(core: StructShape, stored: StructShape): readonly FieldPair[] {
  const byCoreName = new Map(stored.fields.map((field) => [olderName(field), field]));
  return core.fields.map((field) => {
    const original = byCoreName.get(field.name) as FieldShape;
    const filled = original.presence === field.presence ? undefined : field.presence === 'always' ? 'core' : 'stored';
    const below =
      field.shape !== original.shape && field.shape.kind === 'struct' && original.shape.kind === 'struct'
        ? pairsOf(field.shape, original.shape)
        : undefined;
    return { core: field.name, stored: original.name, filled, zero: field.zero, below };
  });
}

/** Returns the core/v1 name of a field of the stored form. */
export function coreName(stored: string): string {
  const field = eventShape().byName.get(stored);
  return field ? olderName(field) : stored;
}

/** Returns an event in its core/v1 form, without kind and apiVersion. The conversion is lossless. Values are shared. */
export function toCore(event: Event): Fields {
  return converted(event as unknown as Readonly<Fields>, fieldPairs(), 'stored', 'core');
}

/** Returns the stored form of a decoded core/v1 object. Values are shared. */
export function fromCore(object: Readonly<Fields>): Event {
  return converted(object, fieldPairs(), 'core', 'stored') as unknown as Event;
}

function converted(object: Readonly<Fields>, pairs: readonly FieldPair[], from: Form, to: Form): Fields {
  const result: Fields = {};
  for (const { [from]: source, [to]: target, filled, zero, below } of pairs) {
    const value = object[source];
    if (value === undefined) {
      if (filled === to) result[target] = zero;
    } else if (filled !== from || value !== zero) {
      result[target] = below ? converted(value as Readonly<Fields>, below, from, to) : value;
    }
  }
  return result;
}

/** Labels of field selectors, with the stored form's names. `source` is the component or the controller. */
const selectable: () => ReadonlyMap<string, string> = lazy(() => {
  const fields = selectableFields(eventShape()).map(({ path: [first = '', ...rest] }): [string, string] => [
    [coreName(first), ...rest].join('.'),
    [first, ...rest].join('.'),
  ]);
  return new Map([...fields, [SOURCE.name, SOURCE.name]]);
});

const API_VERSION = 'v1';

/**
 * Creates the older version of the same events, `v1` of the core group: with other names and another order of fields,
 * and laxer rules. `kubectl events` and the Events section of `kubectl describe` read only this version. `apiDomain` is
 * part of the name of the other version, whose objects are recognized here, and refused.
 */
export function coreV1(apiDomain: string): EventVersion {
  const shape = coreEventShape();
  const object = (event: Event): Uint8Array =>
    encodeUtf8(encodeJson({ kind: 'Event', apiVersion: API_VERSION, ...toCore(event) }, shape));
  return {
    group: '',
    version: 'v1',
    view: { apiVersion: API_VERSION, kind: 'Event', listKind: 'EventList', shape, table: eventTable(coreName) },
    otherVersions: new Map([[`events.${apiDomain}/v1`, eventShape()]]),
    strict: false,
    fieldName: coreName,
    selectable: selectable(),
    object: (record) => object(eventOf(record)),
    listsStored: false,
    listItem: (record) => encodeUtf8(encodeJson(toCore(eventOf(record)), shape)),
    unstoredJson: object,
    fromWire: (decoded, from = API_VERSION) =>
      from === API_VERSION ? fromCore(decoded) : (decoded as unknown as Event),
    toWire: toCore,
  };
}

function eventOf({ event, revision }: EventRecord): Event {
  const decoded = decodeEvent(event.bytes);
  decoded.metadata.resourceVersion = String(revision);
  return decoded;
}
