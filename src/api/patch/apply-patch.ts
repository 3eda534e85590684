import { MAX_PATCH_MEMBERS, tooManyMembers, parseJson, MAX_STRICT_ERRORS, strictError } from '../body/parse-body.js';
import type { BodyLimits, FieldValidation } from '../body/parse-body.js';
import { GO_OBJECT, wrongType } from '../decode/decode-fault.js';
import { setMember, type JsonDocument } from '../../json/json-document.js';
import { membersWithin } from '../../json/member-count.js';
import { bodyText } from '../../json/parse-json.js';
import type { StructShape } from '../schema/shape.js';
import { badRequest, tooLarge, unknownFormat, unprocessable, unsupportedMediaType } from '../status/failures.js';
import { goPrint } from '../../json/go-print.js';
import { applyJsonPatch } from './json-patch.js';
import { jsonPatchStrictErrors, jsonPatchTypeError } from './json-patch-body.js';
import { isObject, member, sortedJson, type JsonObject } from '../../json/json-tree.js';
import { applyStrategicMerge } from './strategic-merge.js';

export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;

export const APPLY_TYPE = 'application/apply-patch+yaml';

export type PatchType = (typeof patchTypes)[number];

/** The content types of patches, with that of server-side apply, in the order of error messages. */
export const acceptedPatchTypes: readonly string[] = [...patchTypes, APPLY_TYPE];

/** The `Content-Type` up to a `;`. Case matters (Kubernetes behaviour). @throws StatusFailure 415 for other types */
export function patchTypeOf(contentType: string): PatchType | typeof APPLY_TYPE {
  const type = withoutParameters(contentType);
  if (type === APPLY_TYPE) return type;
  const known = patchTypes.find((each) => each === type);
  if (known) return known;
  // The router takes a list of types, and spaces around them; the handler behind it does not.
  const isRouted = contentType.split(',').some((one) => acceptedPatchTypes.includes(withoutParameters(one).trim()));
  throw isRouted ? unknownFormat(acceptedPatchTypes) : unsupportedMediaType();
}

const withoutParameters = (contentType: string): string => contentType.split(';', 1)[0] as string;

export interface ApplyPatchOptions {
  readonly type: PatchType;
  /** The object in the version of the request. It is not changed. */
  readonly document: unknown;
  readonly body: Uint8Array | string;
  readonly shape: StructShape;
  readonly fieldValidation: FieldValidation;
  readonly limits: BodyLimits;
}

/** A patched document, not yet decoded. It may share parts with the document it was made from. */
export interface PatchedDocument {
  readonly document: unknown;
  /** Unknown and duplicate fields of the patch: `duplicate field "metadata.labels.a"`. Empty without validation. */
  readonly strictErrors: readonly string[];
  /** What an error about the result quotes: the whole document, or for strategic merge the patch. */
  readonly rendering: (document: unknown) => string;
}

/** Kubernetes' limit for the operations of one JSON Patch. */
const MAX_OPERATIONS = 10_000;

/**
 * The object has been read: an invalid patch of a missing object is a 404 (Kubernetes behaviour). @throws StatusFailure
 * 400 for an invalid patch, 413 for too many operations or fields, 422 for a failed operation
 */
export function applyPatch(options: ApplyPatchOptions): PatchedDocument {
  switch (options.type) {
    case 'application/json-patch+json':
      return jsonPatch(options);
    case 'application/merge-patch+json':
      return mergePatch(options);
    case 'application/strategic-merge-patch+json':
      return strategicMerge(options);
  }
}

function jsonPatch({ document, body, fieldValidation, limits }: ApplyPatchOptions): PatchedDocument {
  const strict = fieldValidation !== 'Ignore';
  const prefix = strict ? 'error decoding patch: ' : '';
  const result = parseJson(bodyText(body), MAX_PATCH_MEMBERS);
  if ('error' in result) throw badRequest(`${prefix}${result.error}`);
  const { value } = result.document;
  const wrong = jsonPatchTypeError(value, strict);
  if (wrong !== undefined) throw badRequest(`${prefix}${wrong}`);
  const operations = value === null ? [] : (value as readonly unknown[]);
  if (operations.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`);
  }
  const patched = applyJsonPatch(document, operations);
  if (!patched) throw unprocessable();
  // Only values of the patch, and copies, make an object grow.
  const max = limits.storedMembers;
  const mayBeLarge = body.length > max || patched.copied;
  if (mayBeLarge && !membersWithin(patched.document, max)) {
    throw tooManyMembers('the patched object', max);
  }
  return {
    document: patched.document,
    strictErrors: strict ? jsonPatchStrictErrors(result.document, MAX_STRICT_ERRORS) : [],
    rendering: (shown) => sortedJson(shown, patched.touched),
  };
}

function mergePatch({ document, body, fieldValidation, limits }: ApplyPatchOptions): PatchedDocument {
  const strict = fieldValidation !== 'Ignore';
  const patch = readObject(body, limits, (error) =>
    badRequest(strict ? `error decoding patch: ${error}` : NO_MERGE_PATCH),
  );
  if (patch === null) throw badRequest(NO_MERGE_PATCH);
  const touched: object[] = [];
  return {
    document: applyMergePatch(document, patch.value, touched),
    strictErrors: strict ? duplicateErrors(patch.document) : [],
    rendering: (shown) => sortedJson(shown, new WeakSet(touched)),
  };
}

const NO_MERGE_PATCH = 'Invalid JSON Patch';

/** Applies a JSON Merge Patch (RFC 7396). The result shares what the patch does not reach: not `touched`. */
export function applyMergePatch(target: unknown, patch: unknown, touched: object[]): unknown {
  if (!isObject(patch)) return patch;
  const before = isObject(target) ? target : {};
  // Unlike an assignment, a spread copies `__proto__` as data.
  const result: JsonObject = { ...before };
  touched.push(result);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete result[key];
    else setMember(result, key, applyMergePatch(member(before, key), value, touched));
  }
  return result;
}

function strategicMerge({ document, body, shape, fieldValidation, limits }: ApplyPatchOptions): PatchedDocument {
  const patch = readObject(body, limits, badRequest);
  const value = patch === null ? {} : patch.value;
  return {
    document: applyStrategicMerge(isObject(document) ? document : {}, value, shape),
    strictErrors: patch !== null && fieldValidation !== 'Ignore' ? duplicateErrors(patch.document) : [],
    rendering: () => goPrint(value),
  };
}

function readObject(
  body: Uint8Array | string,
  limits: BodyLimits,
  refuse: (error: string) => Error,
): { readonly value: JsonObject; readonly document: JsonDocument } | null {
  const result = parseJson(bodyText(body), limits.members);
  if ('error' in result) throw refuse(result.error);
  const { document } = result;
  if (document.value === null) return null;
  if (isObject(document.value)) return { value: document.value, document };
  throw refuse(wrongType(document.value, GO_OBJECT));
}

function duplicateErrors({ duplicates }: JsonDocument): string[] {
  return duplicates.slice(0, MAX_STRICT_ERRORS).map((path) => strictError('duplicate', path));
}
