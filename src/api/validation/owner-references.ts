import type { OwnerReference } from '../../model/object-meta.js';
import { invalidValue, collectErrors, type FieldError } from '../status/field-error.js';

/** Each further controller is reported with the whole list, so without a limit the errors grow quadratically. */
const MAX_LISTS_SHOWN = 10;

const FIELD = 'metadata.ownerReferences';

/** The rules for owners. Paths carry no index (Kubernetes behaviour). */
export function ownerReferenceErrors(references: readonly OwnerReference[]): FieldError[] {
  let controller: string | undefined;
  let further = 0;
  return collectErrors(references, (reference) => {
    const errors = errorsOf(reference);
    if (reference.controller !== true) return errors;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) {
      controller = name;
    } else if (further++ < MAX_LISTS_SHOWN) {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidValue(FIELD, references.map(inWireOrder), text));
    }
    return errors;
  });
}

function errorsOf(reference: OwnerReference): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion, kind } = reference;
  if (versionOf(apiVersion) === '') {
    errors.push(invalidValue(`${FIELD}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  for (const key of ['kind', 'name', 'uid'] as const) {
    if (!reference[key]) errors.push(invalidValue(`${FIELD}.${key}`, '', 'must not be empty'));
  }
  if (kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1')) {
    errors.push(invalidValue(FIELD, inWireOrder(reference), '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/', 3);
  if (parts.length > 2) return '';
  return parts.at(-1) ?? '';
}

function inWireOrder(reference: OwnerReference): OwnerReference {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(typeof controller === 'boolean' && { controller }),
    ...(typeof blockOwnerDeletion === 'boolean' && { blockOwnerDeletion }),
  };
}

/** Drops owners equal to an earlier one (Kubernetes behaviour). @param stage for the words of the warning */
export function dedupeOwnerReferences(
  references: readonly OwnerReference[],
  stage: 'request' | 'patch',
): { readonly references: OwnerReference[]; readonly warning?: string } {
  const seen = new Set<string>();
  const duplicates: string[] = [];
  const distinct = references.filter((reference) => {
    const key = JSON.stringify(inWireOrder(reference));
    if (seen.has(key)) {
      duplicates.push(reference.uid);
      return false;
    }
    seen.add(key);
    return true;
  });
  if (duplicates.length === 0) return { references: distinct };
  const where = stage === 'patch' ? ' after mutating admission happens' : '';
  return {
    references: distinct,
    warning:
      `.metadata.ownerReferences contains duplicate entries${where}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  };
}
