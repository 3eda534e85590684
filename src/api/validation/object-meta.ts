import type { ObjectMeta } from '../../model/object-meta.js';
import {
  forbiddenField,
  invalidValue,
  required,
  tooLong,
  collectErrors,
  type FieldError,
} from '../status/field-error.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { goQuote } from '../../json/go-print.js';
import { byteLength } from './byte-length.js';
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

/** Which rules the metadata of a new object must satisfy. */
export interface ObjectMetaCreateOptions {
  /** The object lives in a namespace, so it must name one; otherwise it must not. */
  readonly requireNamespace: boolean;
  /** `subdomain`: DNS-1123 subdomain; `path-segment`: anything that can stand in a URL's path. Both have at most 253 bytes. */
  readonly nameRule: 'subdomain' | 'path-segment';
  /** Finalizers without a domain must be one of Kubernetes' own. */
  readonly strictFinalizers: boolean;
}

const MAX_ANNOTATIONS_BYTES = 262_144;
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

const invalidEach = (field: string, value: string, faults: readonly string[]): FieldError[] =>
  faults.map((fault) => invalidValue(field, value, fault));

/** The errors of a new object's metadata, in Kubernetes' order and words (1.36). */
export function validateObjectMetaCreate(meta: ObjectMeta, options: ObjectMetaCreateOptions): FieldError[] {
  const { name = '', generateName = '', namespace = '', generation = 0, finalizers, managedFields } = meta;
  const subdomain = options.nameRule === 'subdomain';
  const errors: FieldError[] = [];
  if (generateName !== '') {
    const faults = subdomain ? subdomainPrefixErrors(generateName) : pathSegmentPrefixErrors(generateName);
    errors.push(...invalidEach('metadata.generateName', generateName, faults));
  }
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'));
  else
    errors.push(...invalidEach('metadata.name', name, subdomain ? subdomainErrors(name) : pathSegmentNameErrors(name)));
  pushNamespaceErrors(errors, namespace, options.requireNamespace);
  if (generation < 0) {
    errors.push(invalidValue('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  pushMapAndOwnerErrors(errors, meta);
  if (finalizers) errors.push(...finalizerErrors(finalizers));
  if (managedFields) errors.push(...managedFieldsErrors(managedFields, 'metadata.managedFields'));
  if (finalizers && options.strictFinalizers) errors.push(...finalizerDomainErrors(finalizers));
  return errors;
}

/**
 * The errors of replacing metadata, in Kubernetes' order and words (1.36).
 *
 * Fields that the server carries over (an empty uid, `resourceVersion`, `creationTimestamp`, the deletion fields of an
 * object that is being deleted) must be in `next` already.
 *
 * @param contentIsGood {@link validateObjectMetaCreate} has found nothing in `next`: labels and the like are not checked
 * again
 */
export function validateObjectMetaUpdate(next: ObjectMeta, previous: ObjectMeta, contentIsGood = false): FieldError[] {
  const errors: FieldError[] = [];
  if (previous.deletionTimestamp) errors.push(...newFinalizerErrors(next.finalizers ?? [], previous.finalizers ?? []));
  if ((next.generation ?? 0) < (previous.generation ?? 0)) {
    errors.push(invalidValue('metadata.generation', next.generation ?? 0, 'must not be decremented'));
  }
  if (!sameIdentity(next, previous)) errors.push(...identityErrors(next, previous));
  if (contentIsGood) return errors;
  pushMapAndOwnerErrors(errors, next);
  if (next.managedFields) errors.push(...managedFieldsErrors(next.managedFields, 'metadata.managedFields'));
  return errors;
}

/** Whether {@link identityErrors} finds nothing. With constant names, because every update calls it. */
function sameIdentity(next: ObjectMeta, previous: ObjectMeta): boolean {
  return (
    next.name === previous.name &&
    next.namespace === previous.namespace &&
    next.uid === previous.uid &&
    next.creationTimestamp === previous.creationTimestamp &&
    next.deletionTimestamp === previous.deletionTimestamp &&
    next.deletionGracePeriodSeconds === previous.deletionGracePeriodSeconds
  );
}

const IMMUTABLE = ['name', 'namespace', 'uid'] as const;
const IMMUTABLE_WHEN_SET = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function identityErrors(next: ObjectMeta, previous: ObjectMeta): FieldError[] {
  const changed = (key: keyof ObjectMeta, unset: '' | null): FieldError[] => {
    const value = next[key] ?? unset;
    return value === (previous[key] ?? unset) ? [] : [invalidValue(`metadata.${key}`, value, 'field is immutable')];
  };
  return [...IMMUTABLE.flatMap((key) => changed(key, '')), ...IMMUTABLE_WHEN_SET.flatMap((key) => changed(key, null))];
}

/** Fast path: most events have none of the three. */
function pushMapAndOwnerErrors(errors: FieldError[], { labels, annotations, ownerReferences }: ObjectMeta): void {
  if (labels && !areGoodLabels(labels)) errors.push(...labelErrors(labels));
  if (annotations) errors.push(...annotationErrors(annotations));
  if (ownerReferences) errors.push(...ownerReferenceErrors(ownerReferences, 'metadata.ownerReferences'));
}

function pushNamespaceErrors(errors: FieldError[], namespace: string, wanted: boolean): void {
  const field = 'metadata.namespace';
  if (wanted) {
    if (namespace === '') errors.push(required(field));
    else errors.push(...invalidEach(field, namespace, dnsLabelErrors(namespace)));
  } else if (namespace !== '') errors.push(forbiddenField(field, 'not allowed on this type'));
}

/** Called two or three times per write, nearly always without errors, so no list is made for each label. */
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
  if (totalBytes(entries) > MAX_ANNOTATIONS_BYTES) errors.push(tooLong(field, MAX_ANNOTATIONS_BYTES));
  return errors;
}

/** The bytes of keys and values, counted only if the number of UTF-16 units does not rule out an excess. */
function totalBytes(entries: readonly (readonly [string, string])[]): number {
  const units = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (units * 3 <= MAX_ANNOTATIONS_BYTES) return units;
  return entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
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

function finalizerDomainErrors(finalizers: readonly string[]): FieldError[] {
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
  const list = `[]string{${added.map((finalizer) => goQuote(finalizer)).join(', ')}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbiddenField('metadata.finalizers', why)];
}
