import { validateObjectMetaCreate, validateObjectMetaUpdate } from '../../api/validation/object-meta.js';
import { invalidValue, type FieldError } from '../../api/status/field-error.js';
import type { Event, EventSource, ObjectReference } from '../../model/event.js';
import type { EventVersion } from '../versions/version.js';
import { sameSeries, sharesFields } from '../stored-form/equal-parts.js';
import { baseErrors } from './base-rules.js';
import { seriesErrors } from './create-rules.js';

/** In the order they are reported; `reason` is tested twice by the original and so appears twice among the causes. */
const IMMUTABLE = [
  'regarding',
  'reason',
  'note',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'deprecatedCount',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;

/** How an unset field is shown; the others as null. */
const UNSET: Readonly<Record<string, string | number>> = {
  reason: '',
  note: '',
  type: '',
  action: '',
  reportingController: '',
  reportingInstance: '',
  deprecatedCount: 0,
};

/**
 * What an event may become: under the strict rules only its series and metadata change. Metadata is looked at three
 * times, as the original does: clients see one broken label as three causes.
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
  if (next.series && !sameSeries(next.series, previous.series) && !same(next.series, previous.series)) {
    errors.push(...seriesErrors(next.series));
  }
  if (sharesFields(next, previous)) return errors;
  for (const field of IMMUTABLE) {
    if (same(next[field], previous[field])) continue;
    errors.push(invalidValue(version.fieldName(field), next[field] ?? UNSET[field] ?? null, 'field is immutable'));
  }
  return errors;
}

type Comparable = string | number | null | undefined | ObjectReference | EventSource | Event['series'];

/** Unset, null, empty and `{}` are one value: the wire does not tell them apart. */
function same(a: Comparable, b: Comparable): boolean {
  if (a === b) return true;
  if (isObject(a) || isObject(b)) return sameMembers(isObject(a) ? a : NOTHING, isObject(b) ? b : NOTHING);
  return !a && !b;
}

type Members = Readonly<Record<string, unknown>>;
const NOTHING: Members = Object.freeze({});

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isSet = (member: unknown): boolean => member !== undefined && member !== null && member !== '';

/** The members are scalars. Compared one by one: to write both objects out took a tenth of the checks of an update. */
function sameMembers(one: Members, other: Members): boolean {
  let more = 0;
  for (const key of Object.keys(one)) {
    const value = one[key];
    if (!isSet(value)) continue;
    if (!Object.hasOwn(other, key) || other[key] !== value) return false;
    more++;
  }
  for (const key of Object.keys(other)) if (isSet(other[key])) more--;
  return more === 0;
}
