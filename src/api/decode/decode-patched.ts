import type { StructShape } from '../schema/shape.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { invalid } from '../status/failures.js';
import { invalidValue } from '../status/field-error.js';
import type { DecodedBody } from './decode-body.js';
import { decodeObject } from './decode-object.js';
import { MAX_STRICT_ERRORS, strictText, type FieldValidation } from '../body/parse-body.js';
import { groupVersion, readTypeMeta, saysExactly, withDefaults, wrongType } from './type-meta.js';

/** What a patched object must be, and how errors quote it. */
export interface DecodePatchedOptions {
  readonly shape: StructShape;
  readonly kind: string;
  readonly apiVersion: string;
  readonly otherVersions?: ReadonlyMap<string, StructShape> | undefined;
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
 * @throws StatusError 422 on the field `patch`, unlike the 400 of a whole object in a body (Kubernetes behaviour)
 */
export function decodePatched(value: unknown, options: DecodePatchedOptions): DecodedBody {
  const { kind, apiVersion, fieldValidation } = options;
  const found = saysExactly(value, kind, apiVersion) ? apiVersion : typeOf(value, options);
  const before = found === apiVersion ? options.before : undefined;
  const decoded = decodeObject(value, shapeOf(found, options) as StructShape, {}, before);
  if ('fault' in decoded) {
    throw refusal(decoded.fault[options.words === 'converter' ? 'converter' : 'text'], options);
  }
  const { object } = decoded;
  const strict = strictErrors(options.strictErrors ?? [], decoded.strictErrors);
  if (fieldValidation === 'Strict' && strict.length > 0) throw refusal(strictText(strict), options);
  return { object, warnings: fieldValidation === 'Warn' ? strict : [], kind, apiVersion: found };
}

/** The apiVersion of a document that does not have exactly the expected type. @throws StatusError 422 */
function typeOf(value: unknown, options: DecodePatchedOptions): string {
  const { kind, apiVersion } = options;
  const said = readTypeMeta(value);
  if ('error' in said) throw refusal(said.error, options);
  const meta = withDefaults(said, kind, apiVersion);
  const wrong = wrongType(meta, { kind, isServed: (one) => shapeOf(one, options) !== undefined });
  if (wrong !== undefined) throw refusal(wrong, options);
  return groupVersion(meta);
}

function shapeOf(one: string, { shape, apiVersion, otherVersions }: DecodePatchedOptions): StructShape | undefined {
  return one === apiVersion ? shape : otherVersions?.get(one);
}

const refusal = (error: string, { rendering }: DecodePatchedOptions): Error =>
  invalid('', '', [invalidValue('patch', rendering(), error)]);

function strictErrors(ofPatch: readonly string[], ofResult: readonly string[]): readonly string[] {
  if (ofPatch.length === 0 && ofResult.length === 0) return ofPatch;
  return [...ofPatch.slice(0, MAX_STRICT_ERRORS), ...[...ofResult].sort(byCodePoint)];
}
