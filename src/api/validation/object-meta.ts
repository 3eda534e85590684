import type { ObjectMeta } from '../../model/object-meta.js';
import { forbiddenField, invalidValue, required, tooLong, collectErrors } from '../status/field-error.js';
import type { FieldError } from '../status/field-error.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goList, goQuote, shorten } from '../../json/go-print.js';
import { MAX_STATUS_LENGTH } from '../status/status-failure.js';
import { longerThan } from '../../json/utf8.js';
import { managedFieldsErrors } from './managed-fields.js';
import { isLabelValue, isQualifiedName } from './name-forms.js';
import {
  dnsLabelErrors,
  labelValueErrors,
  pathSegmentNameErrors,
  pathSegmentPrefixErrors,
  qualifiedNameErrors,
  subdomainErrors,
  subdomainPrefixErrors,
} from './names.js';
import { ownerReferenceErrors } from './owner-references.js';

const MAX_ANNOTATIONS_BYTES = 262_144;
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

const invalidEach = (field: string, value: string, faults: readonly string[]): FieldError[] =>
  faults.map((fault) => invalidValue(field, value, fault));

/**
 * The errors of the metadata of a new object in a namespace, in Kubernetes' order and words (1.36).
 *
 * @param strict names must be DNS-1123 subdomains (otherwise anything that can be a segment of a URL's path; both have
 * at most 253 bytes), and finalizers without a domain must be Kubernetes' own
 */
export function validateObjectMetaCreate(meta: ObjectMeta, strict: boolean): FieldError[] {
  const { name = '', generateName = '', namespace = '', generation = 0, finalizers, managedFields } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const faults = strict ? subdomainPrefixErrors(generateName) : pathSegmentPrefixErrors(generateName);
    errors.push(...invalidEach('metadata.generateName', generateName, faults));
  }
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else errors.push(...invalidEach('metadata.name', name, strict ? subdomainErrors(name) : pathSegmentNameErrors(name)));
  if (namespace === '') errors.push(required('metadata.namespace'));
  else errors.push(...invalidEach('metadata.namespace', namespace, dnsLabelErrors(namespace)));
  if (generation < 0) {
    errors.push(invalidValue('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  pushMapAndOwnerErrors(errors, meta);
  if (finalizers) errors.push(...finalizerErrors(finalizers));
  if (managedFields) errors.push(...managedFieldsErrors(managedFields));
  if (finalizers && strict) errors.push(...finalizerDomainErrors(finalizers));
  return errors;
}

/**
 * The errors of replacing metadata, in Kubernetes' order and words (1.36). Fields that the server carries over (an
 * empty uid, `resourceVersion`, `creationTimestamp`, the deletion fields) must be in `next` already.
 *
 * @param contentIsGood {@link validateObjectMetaCreate} has found no error in `next`
 */
export function validateObjectMetaUpdate(next: ObjectMeta, previous: ObjectMeta, contentIsGood: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (previous.deletionTimestamp) errors.push(...newFinalizerErrors(next.finalizers ?? [], previous.finalizers ?? []));
  if ((next.generation ?? 0) < (previous.generation ?? 0)) {
    errors.push(invalidValue('metadata.generation', next.generation ?? 0, 'must not be decremented'));
  }
  for (const [key, unset] of IMMUTABLE) {
    const value = next[key] ?? unset;
    if (value !== (previous[key] ?? unset)) errors.push(invalidValue(`metadata.${key}`, value, 'field is immutable'));
  }
  if (contentIsGood) return errors;
  pushMapAndOwnerErrors(errors, next);
  if (next.managedFields) errors.push(...managedFieldsErrors(next.managedFields));
  return errors;
}

/** Fields that cannot be changed, with the value that an error shows for an absent one. */
const IMMUTABLE = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

function pushMapAndOwnerErrors(errors: FieldError[], { labels, annotations, ownerReferences }: ObjectMeta): void {
  if (labels && !areGoodLabels(labels)) errors.push(...labelErrors(labels));
  if (annotations) errors.push(...annotationErrors(annotations));
  if (ownerReferences) errors.push(...ownerReferenceErrors(ownerReferences));
}

/** Called two or three times per write, nearly always without errors, so it makes no list for each label. */
const areGoodLabels = (labels: Readonly<Record<string, string>>): boolean =>
  Object.keys(labels).every((key) => isQualifiedName(key) && isLabelValue(labels[key] as string));

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return collectErrors(Object.entries(labels), ([key, value]) => [
    ...invalidEach('metadata.labels', key, qualifiedNameErrors(key)),
    ...invalidEach('metadata.labels', value, labelValueErrors(value)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const field = 'metadata.annotations';
  const entries = Object.entries(annotations);
  const errors = collectErrors(entries, ([key]) => invalidEach(field, key, qualifiedNameErrors(key.toLowerCase())));
  if (areTooLong(entries)) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  return errors;
}

/** Whether annotations exceed the limit for all of their keys and values together. */
export function areTooLong(annotations: readonly (readonly [string, unknown])[]): boolean {
  return longerThan(annotations.flat().join(''), MAX_ANNOTATIONS_BYTES);
}

function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = collectErrors(finalizers, (finalizer) =>
    invalidEach(field, finalizer, qualifiedNameErrors(finalizer)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/** The errors of finalizers without a domain that are not Kubernetes' own. */
export function finalizerDomainErrors(finalizers: readonly string[]): FieldError[] {
  return collectErrors(finalizers, (finalizer, index) => {
    if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return [];
    const fault = 'name is neither a standard finalizer name nor is it fully qualified';
    return [invalidValue(`metadata.finalizers[${index}]`, finalizer, fault)];
  });
}

function newFinalizerErrors(next: readonly string[], previous: readonly string[]): FieldError[] {
  const known = new Set(previous);
  const added = [...new Set(next)].filter((finalizer) => !known.has(finalizer)).sort(byCodePoint);
  if (added.length === 0) return [];
  const shown = (finalizer: string): string => goQuote(shorten(finalizer, MAX_STATUS_LENGTH));
  const list = `[]string{${goList(added, shown, MAX_STATUS_LENGTH)}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbiddenField('metadata.finalizers', why)];
}
