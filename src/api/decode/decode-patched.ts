import type { StructShape } from '../schema/shape.js';
import { byCodePoint } from '../status/code-point-order.js';
import { invalid } from '../status/failures.js';
import { invalidValue } from '../status/field-error.js';
import type { DecodedBody } from './decode-body.js';
import { decodeObject, MAX_STRICT_ERRORS } from './decode-object.js';
import { strictText, type FieldValidation } from './strict-errors.js';
import { groupVersion, readTypeMeta, withDefaults, wrongType } from './type-meta.js';

/** What a patched object is expected to be, and how it is shown when it is not. */
export interface DecodePatchedOptions {
  readonly shape: StructShape;
  readonly kind: string;
  readonly apiVersion: string;
  readonly otherVersions?: ReadonlyMap<string, StructShape> | undefined;
  readonly fieldValidation: FieldValidation;
  /** What was odd about the patch itself; stands before what is odd about the result. */
  readonly strictErrors?: readonly string[] | undefined;
  /** The patched document, or the patch, as the error shows it. Asked for only when there is an error. */
  readonly rendering: () => string;
  /** Whose words type errors have: a JSON decoder's (default), or those of the converter behind strategic merge. */
  readonly words?: 'json' | 'converter' | undefined;
}

/**
 * The object a patch has made.
 *
 * @throws StatusError 422 on the field `patch`, unlike the 400 of a whole object in a body (Kubernetes behaviour)
 */
export function decodePatched(value: unknown, options: DecodePatchedOptions): DecodedBody {
  const { kind, apiVersion, otherVersions, fieldValidation } = options;
  const refuse = (error: string): Error => invalid('', '', [invalidValue('patch', options.rendering(), error)]);
  const said = readTypeMeta(value);
  if ('error' in said) throw refuse(said.error);
  const meta = withDefaults(said, kind, apiVersion);
  const found = groupVersion(meta);
  const shapeOf = (one: string): StructShape | undefined =>
    one === apiVersion ? options.shape : otherVersions?.get(one);
  const wrong = wrongType(meta, { kind, isServed: (one) => shapeOf(one) !== undefined });
  if (wrong !== undefined) throw refuse(wrong);
  const decoded = decodeObject(value, shapeOf(found) as StructShape);
  if ('fault' in decoded) throw refuse(decoded.fault[options.words === 'converter' ? 'converter' : 'text']);
  const { object } = decoded;
  const strict = [
    ...(options.strictErrors ?? []).slice(0, MAX_STRICT_ERRORS),
    ...[...decoded.strictErrors].sort(byCodePoint),
  ];
  if (fieldValidation === 'Strict' && strict.length > 0) throw refuse(strictText(strict));
  return { object, warnings: fieldValidation === 'Warn' ? strict : [], kind, apiVersion: found };
}
