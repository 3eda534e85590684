import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { invalidValue, tooLong, collectErrors, type FieldError } from '../status/field-error.js';
import { findUnprintable } from '../../json/go-print.js';
import { byteLength, longerThan } from '../../json/utf8.js';

const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;

export function managedFieldsErrors(entries: readonly ManagedFieldsEntry[]): FieldError[] {
  return collectErrors(entries, (entry, index) => {
    const at = `metadata.managedFields[${index}]`;
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
export function managerErrors(manager: string, field: string): FieldError[] {
  const errors = longerThan(manager, MAX_MANAGER_BYTES) ? [tooLong(field, MAX_MANAGER_BYTES)] : [];
  const wrong = findUnprintable(manager);
  if (wrong) {
    const code = (wrong[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = byteLength(manager.slice(0, wrong.index));
    errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}
