import { validateObjectMetaCreate, validateObjectMetaUpdate } from '../../api/validation/object-meta.js';
import { invalidValue, type FieldError } from '../../api/status/field-error.js';
import type { Event, EventSource, ObjectReference } from '../../model/event.js';
import type { EventVersion } from '../versions/version.js';
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
  const metadataErrors = validateObjectMetaUpdate(next.metadata, previous.metadata);
  errors.push(...metadataErrors, ...baseErrors(next, version));
  if (!version.strict) return errors;
  errors.push(...metadataErrors);
  if (next.series && !same(next.series, previous.series)) errors.push(...seriesErrors(next.series));
  for (const field of IMMUTABLE) {
    if (same(next[field], previous[field])) continue;
    errors.push(invalidValue(version.fieldName(field), next[field] ?? UNSET[field] ?? null, 'field is immutable'));
  }
  return errors;
}

type Comparable = string | number | null | undefined | ObjectReference | EventSource | Event['series'];

/** Unset, null, empty and `{}` are one value: the wire does not tell them apart. */
function same(a: Comparable, b: Comparable): boolean {
  return a === b || sameMembers(a, b) || canonical(a) === canonical(b);
}

/** Two objects with the same members, which is what an unchanged reference usually is: no need to write both out. */
function sameMembers(a: Comparable, b: Comparable): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const [one, other] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

function canonical(value: Comparable): string {
  if (value === undefined || value === null || value === '' || value === 0) return '';
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).filter(
    ([, member]) => member !== '' && member !== undefined && member !== null,
  );
  return entries.length === 0 ? '' : JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
