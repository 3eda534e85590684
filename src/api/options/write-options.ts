import { invalid } from '../status/failures.js';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from '../status/field-error.js';
import { byteLength, longerThan } from '../validation/byte-length.js';
import { first, flag, type Query } from './query.js';

/** How unknown and duplicate fields in a body are treated. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Options of create, update and patch (Kubernetes CreateOptions, UpdateOptions, PatchOptions). */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** The manager for managed fields; empty: derived from the User-Agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Only with patch: take over fields from other managers. */
  readonly force: boolean | undefined;
}

const MAX_MANAGER_BYTES = 128;

/** The options of a write without a query. */
const DEFAULTS: WriteOptions = Object.freeze({
  dryRun: false,
  fieldManager: '',
  fieldValidation: 'Warn',
  force: undefined,
});

/**
 * Reads and checks the options of a write.
 *
 * @param apply server-side apply: it needs a field manager, and may be forced
 * @throws StatusFailure 422 that names every fault
 */
export function readWriteOptions(
  query: Query,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  if (query.size === 0 && !apply) return DEFAULTS;
  const dryRun = query.get('dryRun') ?? [];
  const fieldManager = first(query, 'fieldManager') ?? '';
  const fieldValidation = first(query, 'fieldValidation') ?? '';
  const force = kind === 'PatchOptions' ? flag(query, 'force') : undefined;

  const errors: FieldError[] = [];
  if (apply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!apply && force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...fieldManagerErrors(fieldManager), ...dryRunErrors(dryRun));
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid(kind, '', errors, 'meta.k8s.io');
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force,
  };
}

/** `All` is the only kind of dry run. */
export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])];
}

const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function fieldManagerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (longerThan(manager, MAX_MANAGER_BYTES)) errors.push(tooLong('fieldManager', MAX_MANAGER_BYTES));
  const wrong = NOT_PRINTABLE.exec(manager);
  if (wrong) {
    const code = (wrong[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = byteLength(manager.slice(0, wrong.index));
    errors.push(invalidValue('fieldManager', manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}
