import { sameTree } from '../../json/json-tree.js';
import { lazy } from '../../api/schema/lazy.js';
import type { FieldShape } from '../../api/schema/shape.js';
import { validateObjectMetaCreate, validateObjectMetaUpdate } from '../../api/validation/object-meta.js';
import { invalidValue, type FieldError } from '../../api/status/field-error.js';
import type { Event } from '../../model/event.js';
import { eventShape } from '../resource/schema.js';
import type { EventVersion } from '../versions/version.js';
import { sharesFields } from '../codec/compare-events.js';
import { baseErrors } from './base-rules.js';
import { seriesErrors } from './create-rules.js';

/** A field that no update changes. */
interface ImmutableField {
  readonly name: keyof Event;
  /** How an unset one is shown. */
  readonly unset: '' | 0 | null;
}

/** kube-apiserver tests `reason` again before it comes to `type`, so that it appears twice among the causes. */
const TESTED_AGAIN = { field: 'reason', before: 'type' } as const;

/** In the order they are reported, which is that of core/v1. */
const immutableFields: () => readonly ImmutableField[] = lazy(() => {
  const fields = eventShape()
    .fields.filter(({ mutable, protobuf }) => !mutable && protobuf !== 0)
    .sort((one, other) => olderNumber(one) - olderNumber(other))
    .map((field): ImmutableField => ({ name: field.name as keyof Event, unset: shownUnset(field) }));
  const again = fields.find(({ name }) => name === TESTED_AGAIN.field);
  return fields.flatMap((field) => (again && field.name === TESTED_AGAIN.before ? [again, field] : [field]));
});

const olderNumber = ({ protobuf, older }: FieldShape): number => older?.protobuf ?? protobuf;

const shownUnset = ({ zero }: FieldShape): ImmutableField['unset'] => (typeof zero === 'object' ? null : zero);

/**
 * What an event may become: under the strict rules only its series and metadata change. Metadata is looked at three
 * times, as kube-apiserver does: clients see one broken label as three causes.
 */
export function updateErrors(next: Event, previous: Event, version: EventVersion): FieldError[] {
  const errors = validateObjectMetaCreate(next.metadata, {
    requireNamespace: true,
    nameRule: 'path-segment',
    strictFinalizers: false,
  });
  const metadataErrors = validateObjectMetaUpdate(next.metadata, previous.metadata, errors.length === 0);
  errors.push(...metadataErrors, ...baseErrors(next, version));
  if (!version.strict) return errors;
  errors.push(...metadataErrors);
  if (next.series && !same(next.series, previous.series)) {
    errors.push(...seriesErrors(next.series));
  }
  if (sharesFields(next, previous)) return errors;
  for (const { name, unset } of immutableFields()) {
    if (same(next[name], previous[name])) continue;
    errors.push(invalidValue(version.fieldName(name), next[name] ?? unset, 'field is immutable'));
  }
  return errors;
}

/** Unset, null, empty and `{}` are one value: the wire does not tell them apart. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isObject(a) || isObject(b)) return sameMembers(isObject(a) ? a : NOTHING, isObject(b) ? b : NOTHING);
  return !a && !b;
}

type Members = Readonly<Record<string, unknown>>;
const NOTHING: Members = Object.freeze({});

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isSet = (member: unknown): boolean => member !== undefined && member !== null && member !== '';

/** Compared one by one: to write both objects out took a tenth of the checks of an update. */
function sameMembers(one: Members, other: Members): boolean {
  let more = 0;
  for (const key of Object.keys(one)) {
    const value = one[key];
    if (!isSet(value)) continue;
    if (!Object.hasOwn(other, key) || (other[key] !== value && !sameTree(other[key], value))) return false;
    more++;
  }
  for (const key of Object.keys(other)) if (isSet(other[key])) more--;
  return more === 0;
}
