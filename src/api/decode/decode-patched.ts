import { byCodePoint } from '../../json/code-point-order.js';
import { invalid } from '../status/failures.js';
import { invalidValue } from '../status/field-error.js';
import type { DecodedBody } from './decode-body.js';
import { decodeObject } from './decode-object.js';
import { MAX_STRICT_ERRORS, strictText, type FieldValidation } from '../body/parse-body.js';
import { groupVersion, readTypeMeta, shapeOfType, withDefaults, type ExpectedType } from './type-meta.js';

/** What a patched object must be, and how errors quote it. */
export interface DecodePatchedOptions extends ExpectedType {
  readonly fieldValidation: FieldValidation;
  /** The document before the patch, decoded for the same shape. The patched one may share parts of it. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
  /** Strict errors of the patch itself; listed before those of the result. */
  readonly strictErrors?: readonly string[] | undefined;
  /** The patched document, or the patch, as the error quotes it. Called only for an error. */
  readonly rendering: () => string;
  /** The words of type errors: a JSON decoder's (default), or those of the converter for strategic merge. */
  readonly words?: 'json' | 'converter' | undefined;
}

/**
 * Decodes the result of a patch.
 *
 * @throws StatusFailure 422 on the field `patch`, unlike the 400 of a whole object in a body (Kubernetes behaviour)
 */
export function decodePatched(value: unknown, options: DecodePatchedOptions): DecodedBody {
  const { kind, apiVersion, fieldValidation } = options;
  const said = readTypeMeta(value);
  if ('error' in said) throw refusal(said.error, options);
  const meta = withDefaults(said, kind, apiVersion);
  const found = groupVersion(meta);
  const shape = shapeOfType(meta, options);
  if ('error' in shape) throw refusal(shape.error, options);
  const decoded = decodeObject(value, shape, {}, found === apiVersion ? options.before : undefined);
  if ('fault' in decoded) {
    throw refusal(decoded.fault[options.words === 'converter' ? 'converter' : 'text'], options);
  }
  const { object } = decoded;
  const strict = strictErrors(options.strictErrors ?? [], decoded.strictErrors);
  if (fieldValidation === 'Strict' && strict.length > 0) throw refusal(strictText(strict), options);
  return { object, warnings: fieldValidation === 'Warn' ? strict : [], kind, apiVersion: found };
}

const refusal = (error: string, { rendering }: DecodePatchedOptions): Error =>
  invalid('', '', [invalidValue('patch', rendering(), error)]);

function strictErrors(ofPatch: readonly string[], ofResult: readonly string[]): readonly string[] {
  if (ofPatch.length === 0 && ofResult.length === 0) return ofPatch;
  return [...ofPatch.slice(0, MAX_STRICT_ERRORS), ...[...ofResult].sort(byCodePoint)];
}
