import type { FieldValidation } from '../body/parse-body.js';
import { forbiddenField, notSupported, required, type FieldError } from '../status/field-error.js';
import { managerErrors } from '../validation/managed-fields.js';
import { first, flag, refuseOptions } from './query.js';
import type { Query } from '../../http/url.js';

/** Options of create, update and patch (Kubernetes CreateOptions, UpdateOptions, PatchOptions). */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** The manager for managed fields. Empty: derived from the User-Agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Only with patch: take over fields from other managers. */
  readonly force: boolean | undefined;
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** @param apply needs a field manager, and may be forced @throws StatusFailure 422 that names every fault */
export function readWriteOptions(
  query: Query,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  const dryRun = query.get('dryRun') ?? [];
  const fieldManager = first(query, 'fieldManager') ?? '';
  const fieldValidation = first(query, 'fieldValidation') ?? '';
  const force = kind === 'PatchOptions' ? flag(query, 'force') : undefined;

  const errors: FieldError[] = [];
  if (apply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!apply && force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...managerErrors(fieldManager, 'fieldManager'), ...dryRunErrors(dryRun));
  if (!VALIDATIONS.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, VALIDATIONS));
  }
  refuseOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force,
  };
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])];
}
