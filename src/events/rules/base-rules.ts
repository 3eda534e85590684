import { longerThan } from '../../api/validation/byte-length.js';
import { qualifiedNameErrors, subdomainErrors } from '../../api/validation/names.js';
import { invalidValue, required, type FieldError } from '../../api/status/field-error.js';
import type { Event } from '../../model/event.js';
import type { EventVersion } from '../versions/version.js';

/** Lengths are counted in UTF-8 bytes although the texts say characters (design decision 14). */
const SHORT_FIELD_BYTES = 128;
const NOTE_BYTES = 1024;

/** Namespaces in which an event may speak of an object without namespace. */
const FOR_TIMELESS_EVENTS = new Set(['', 'default']);
const FOR_NEW_EVENTS = new Set(['default', 'kube-system']);

/** The rules every version keeps, on create and on update. An event without `eventTime` is one of the older kind. */
export function baseErrors(event: Event, version: EventVersion): FieldError[] {
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
