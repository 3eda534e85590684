import { longerThan } from '../../json/utf8.js';
import { qualifiedNameErrors, subdomainErrors } from '../../api/validation/names.js';
import { invalidValue, required, type FieldError } from '../../api/status/field-error.js';
import type { Event, EventSeries } from '../../model/event.js';
import type { EventVersion } from '../versions/version.js';
import {
  finalizerDomainErrors,
  validateObjectMetaCreate,
  validateObjectMetaUpdate,
} from '../../api/validation/object-meta.js';
import { shorten } from '../../json/go-print.js';
import { isContainer, member, sameTree } from '../../json/json-tree.js';
import { lazy } from '../../api/schema/lazy.js';
import type { FieldShape } from '../../api/schema/shape.js';
import { eventShape } from '../resource/schema.js';
import { sharesFields } from '../codec/compare-events.js';

/** Lengths are counted in UTF-8 bytes, although the messages speak of characters (decision 14). */
const SHORT_FIELD_BYTES = 128;
const NOTE_BYTES = 1024;

/** Namespaces in which an event may be about an object without a namespace. */
const FOR_TIMELESS_EVENTS = new Set(['', 'default']);
const FOR_NEW_EVENTS = new Set(['default', 'kube-system']);

/** Applies the rules of every version, for create and update. An event without `eventTime` is an older one. */
function baseErrors(event: Event, version: EventVersion): FieldError[] {
  const errors = event.eventTime ? reportErrors(event, version) : [];
  const namespace = event.metadata.namespace ?? '';
  const regarding = event.regarding?.namespace ?? '';
  if (!belongsTogether(Boolean(event.eventTime), namespace, regarding)) {
    errors.unshift(
      invalidValue(`${version.fieldName('regarding')}.namespace`, regarding, 'does not match event.namespace'),
    );
  }
  for (const text of subdomainErrors(namespace)) errors.push(invalidValue('namespace', namespace, text));
  return errors;
}

function belongsTogether(timed: boolean, namespace: string, regarding: string): boolean {
  if (regarding === '') return (timed ? FOR_NEW_EVENTS : FOR_TIMELESS_EVENTS).has(namespace);
  return timed || regarding === namespace;
}

function reportErrors(event: Event, version: EventVersion): FieldError[] {
  const errors: FieldError[] = [];
  const controllerField = version.fieldName('reportingController');
  const controller = event.reportingController ?? '';
  if (controller === '') errors.push(required(controllerField));
  for (const text of qualifiedNameErrors(controller)) errors.push(invalidValue(controllerField, controller, text));
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? '';
    if (value === '') errors.push(required(field));
    if (longerThan(value, SHORT_FIELD_BYTES)) errors.push(tooLong(field, SHORT_FIELD_BYTES));
  }
  if (longerThan(event.note ?? '', NOTE_BYTES)) errors.push(tooLong(version.fieldName('note'), NOTE_BYTES));
  return errors;
}

const tooLong = (field: string, max: number): FieldError =>
  invalidValue(field, '', `can have at most ${max} characters`);

/** All errors of a new event, in Kubernetes' order; in a strict version also those of the specification (2.1). */
export function createErrors(event: Event, version: EventVersion, types: ReadonlySet<string>): FieldError[] {
  const errors = baseErrors(event, version);
  if (version.strict) errors.push(...strictErrors(event, version, types));
  // The strict rules of metadata include the older ones, except for name prefixes (`generateName`).
  if (errors.length > 0 || (version.strict && !event.metadata.generateName)) return errors;
  return validateObjectMetaCreate(event.metadata, false);
}

function strictErrors(event: Event, version: EventVersion, types: ReadonlySet<string>): FieldError[] {
  const errors = validateObjectMetaCreate(event.metadata, true);
  if (event.series) errors.push(...seriesErrors(event.series));
  if (!event.eventTime) errors.push(required('eventTime'));
  if (!types.has(event.type ?? '')) {
    errors.push(invalidValue('type', '', `has invalid value: ${shorten(event.type ?? '')}`));
  }
  const unset = (field: string): void => {
    errors.push(invalidValue(version.fieldName(field), '', 'needs to be unset'));
  };
  if (event.deprecatedFirstTimestamp) unset('deprecatedFirstTimestamp');
  if (event.deprecatedLastTimestamp) unset('deprecatedLastTimestamp');
  if (event.deprecatedCount) unset('deprecatedCount');
  if (event.deprecatedSource?.component || event.deprecatedSource?.host) unset('deprecatedSource');
  return errors;
}

function seriesErrors(series: EventSeries): FieldError[] {
  const errors: FieldError[] = [];
  if (series.count < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
  return errors;
}

/** kube-apiserver checks `reason` twice, the second time before `type`, so it appears twice among the causes. */
const TESTED_AGAIN = { field: 'reason', before: 'type' } as const;

/** In the order in which they are reported, which is that of core/v1. */
const immutableFields: () => readonly FieldShape[] = lazy(() => {
  const fields = eventShape()
    .fields.filter(({ mutable, protobuf }) => !mutable && protobuf !== 0)
    .sort((one, other) => olderNumber(one) - olderNumber(other));
  const again = fields.find(({ name }) => name === TESTED_AGAIN.field);
  return fields.flatMap((field) => (again && field.name === TESTED_AGAIN.before ? [again, field] : [field]));
});

const olderNumber = ({ protobuf, older }: FieldShape): number => older?.protobuf ?? protobuf;

/** As in kube-apiserver, strict versions check metadata three times: clients see one invalid label as three causes. */
export function updateErrors(next: Event, previous: Event, version: EventVersion): FieldError[] {
  const errors = validateObjectMetaCreate(next.metadata, false);
  const metadataErrors = validateObjectMetaUpdate(next.metadata, previous.metadata, errors.length === 0);
  errors.push(...metadataErrors, ...baseErrors(next, version));
  if (!version.strict) return errors;
  errors.push(...metadataErrors);
  const { finalizers } = next.metadata;
  if (finalizers) errors.push(...finalizerDomainErrors(finalizers));
  if (next.series && !same(next.series, previous.series)) {
    errors.push(...seriesErrors(next.series));
  }
  if (sharesFields(next, previous)) return errors;
  for (const { name, zero, shape, presence } of immutableFields()) {
    const [to, from] = [next[name as keyof Event], previous[name as keyof Event]];
    // A pointer to a struct in Go: an empty struct then differs from an absent one.
    const isPointer = shape.kind === 'struct' && presence !== 'always';
    if (same(to, from) && !(isPointer && isContainer(to) !== isContainer(from))) continue;
    errors.push(
      invalidValue(version.fieldName(name), to ?? (typeof zero === 'object' ? null : zero), 'field is immutable'),
    );
  }
  return errors;
}

/** Unset, null and empty are one value, as is `{}` for a struct that is always present. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isContainer(a) && !isContainer(b)) return !a && !b;
  // Lists, too: a field of the schema may be one.
  const [one, other] = [isContainer(a) ? a : {}, isContainer(b) ? b : {}];
  return [...Object.keys(one), ...Object.keys(other)].every((key) => {
    const [left, right] = [member(one, key), member(other, key)];
    return sameTree(left, right) || (isUnset(left) && isUnset(right));
  });
}

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';
