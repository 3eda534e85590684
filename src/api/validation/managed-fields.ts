import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { invalidValue, tooLong, collectErrors, type FieldError } from '../status/field-error.js';
import { byteLength, longerThan } from './byte-length.js';

const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** Fast path: the characters of nearly all manager names. */
const PLAIN = /^[ -~]*$/;

/** Fast path: entries as the library writes them, without a list of errors for each. */
function isUsual({ operation, fieldsType, manager = '', subresource }: ManagedFieldsEntry): boolean {
  if (subresource !== undefined || fieldsType !== 'FieldsV1' || (operation !== 'Update' && operation !== 'Apply')) {
    return false;
  }
  return manager.length <= MAX_MANAGER_BYTES && PLAIN.test(manager);
}

/** The rules for entries of managed fields, in the order Kubernetes has them. */
export function managedFieldsErrors(entries: readonly ManagedFieldsEntry[], field: string): FieldError[] {
  if (entries.every(isUsual)) return [];
  return collectErrors(entries, (entry, index) => {
    const at = `${field}[${index}]`;
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    const errors: FieldError[] = [];
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalidValue(`${at}.operation`, operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(`${at}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...managerErrors(manager, `${at}.manager`));
    if (longerThan(subresource, MAX_SUBRESOURCE_BYTES))
      errors.push(tooLong(`${at}.subresource`, MAX_SUBRESOURCE_BYTES));
    return errors;
  });
}

/** Only the first unprintable character is reported, to bound the number of errors. */
function managerErrors(manager: string, field: string): FieldError[] {
  const errors = longerThan(manager, MAX_MANAGER_BYTES) ? [tooLong(field, MAX_MANAGER_BYTES)] : [];
  if (PLAIN.test(manager)) return errors;
  let position = 0;
  for (const character of manager) {
    if (!PRINTABLE.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${position})`));
      break;
    }
    position += byteLength(character);
  }
  return errors;
}
