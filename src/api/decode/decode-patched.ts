import { byCodePoint } from '../../json/code-point-order.js';
import { invalid } from '../status/failures.js';
import { invalidValue } from '../status/field-error.js';
import type { DecodedBody } from './decode-body.js';
import { decodeObject } from './decode-object.js';
import { strictText, type FieldValidation } from '../body/parse-body.js';
import { groupVersion, readTypeMeta, hasExactType, shapeOfType, withDefaults, type ExpectedType } from './type-meta.js';

export interface DecodePatchedOptions extends ExpectedType {
  readonly fieldValidation: FieldValidation;
  /** The document before the patch, decoded for the same shape. The patched one may share parts of it. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** Strict errors of the patch itself; listed before those of the result. */
  readonly strictErrors: readonly string[];
  /** The patched document, or the patch, as the error quotes it. Called only for an error. */
  readonly rendering: () => string;
  /** The words of type errors: a JSON decoder's, or those of the converter for strategic merge, which reads no type. */
  readonly words: 'json' | 'converter';
}

/** @throws StatusFailure 422 on the field `patch`, not 400 as for a whole object in a body (Kubernetes behaviour) */
export function decodePatched(value: unknown, options: DecodePatchedOptions): DecodedBody {
  const { kind, fieldValidation } = options;
  // Nearly every patch leaves the type as it is, and reading it takes 2 µs.
  const isAsExpected = options.words === 'converter' || hasExactType(value, kind, options.apiVersion);
  const { shape, apiVersion } = isAsExpected ? options : typeOf(value, options);
  const decoded = decodeObject(value, shape, {}, apiVersion === options.apiVersion ? options.before : undefined);
  if ('fault' in decoded) {
    throw refusal(decoded.fault[options.words === 'converter' ? 'converter' : 'text'], options);
  }
  const { object } = decoded;
  const strict = [...options.strictErrors, ...[...decoded.strictErrors].sort(byCodePoint)];
  if (fieldValidation === 'Strict' && strict.length > 0) throw refusal(strictText(strict), options);
  return { object, warnings: fieldValidation === 'Warn' ? strict : [], apiVersion };
}

function typeOf(value: unknown, options: DecodePatchedOptions): Pick<ExpectedType, 'apiVersion' | 'shape'> {
  const meta = readTypeMeta(value);
  if ('error' in meta) throw refusal(meta.error, options);
  const whole = withDefaults(meta, options.kind, options.apiVersion);
  const shape = shapeOfType(whole, options);
  if ('error' in shape) throw refusal(shape.error, options);
  return { apiVersion: groupVersion(whole), shape };
}

const refusal = (error: string, { rendering }: DecodePatchedOptions): Error =>
  invalid('', '', [invalidValue('patch', rendering(), error)]);
