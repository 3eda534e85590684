import { toHex } from '../../http/bytes.js';
import { badRequest } from '../status/failures.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { type BodyLimits, parsePlain, strictText, yamlStrictText, type FieldValidation } from '../body/parse-body.js';
import { decodeObject } from './decode-object.js';
import { bodyText, documentOf } from '../../json/parse-json.js';
import { plainWithoutEntries } from './known-managed-fields.js';
import type { KnownEntries, QuickDecoder } from './quick-object.js';
import { readDocument, typedJson, type BodyMediaType, type ReadDocument } from './read-document.js';
import { chain } from '../../http/promise.js';
import { groupVersion, hasExactType, shapeOfType, withDefaults } from './type-meta.js';
import type { ExpectedType, TypeMeta } from './type-meta.js';

export interface DecodeBodyOptions extends ExpectedType {
  readonly mediaType: BodyMediaType;
  readonly fieldValidation: FieldValidation;
  readonly quick?: QuickDecoder | undefined;
  /** Finds managed fields that `quick` need not read. */
  readonly managed?: KnownEntries | undefined;
  readonly limits: BodyLimits;
}

export interface DecodedBody {
  /** Canonical, without `kind` and `apiVersion`: see `decodeObject`. */
  readonly object: Record<string, unknown>;
  /** Texts of `Warning` headers: at most 100 of duplicate and unknown fields; in YAML, 100 of each. */
  readonly warnings: readonly string[];
  /** The apiVersion of the body, by default the expected one. A different one is possible only with `otherVersions`. */
  readonly apiVersion: string;
}

/**
 * Decodes the object in a body, with checks in Kubernetes' order: syntax, kind, types of fields, and under `Strict`
 * unknown or duplicate fields. Synchronous for JSON, and for protobuf once loaded. @throws StatusFailure 400, 413
 */
export function decodeBody(body: Uint8Array, options: DecodeBodyOptions): DecodedBody | Promise<DecodedBody> {
  const { mediaType, limits } = options;
  if (mediaType === 'application/json') return decodeJson(body, options);
  return chain(readDocument(body, mediaType, limits), (read) => decodeRead(body, read, options));
}

function decodeJson(body: Uint8Array, options: DecodeBodyOptions): DecodedBody {
  const { quick, kind, apiVersion, limits } = options;
  const text = bodyText(body);
  const known = decodeKnown(text, options);
  if (known) return known;
  let plain = parsePlain(text, limits.members);
  const decoded = plain && hasExactType(plain.value, kind, apiVersion) ? quick?.(plain.value) : undefined;
  if (decoded) {
    if (decoded.keys === plain?.keys) return { object: decoded.object, warnings: NONE, apiVersion };
    // The text has duplicate keys, and `quick` has reused the value: the text is read again.
    plain = undefined;
  }
  return decodeRead(body, typedJson(documentOf(text, plain)), options);
}

/** Fastest path: an object that was read from the server and still has the managed fields it had then. */
function decodeKnown(text: string, options: DecodeBodyOptions): DecodedBody | undefined {
  const { quick, managed, kind, apiVersion, limits } = options;
  const found = quick && managed && plainWithoutEntries(text, managed, limits.members);
  if (!found || !hasExactType(found.plain.value, kind, apiVersion)) return undefined;
  const known = quick(found.plain.value, found.entries);
  if (known?.keys !== found.plain.keys) return undefined;
  return { object: known.object, warnings: NONE, apiVersion };
}

const NONE: readonly string[] = Object.freeze([]);

function decodeRead(body: Uint8Array, read: ReadDocument, options: DecodeBodyOptions): DecodedBody {
  const { kind, apiVersion, fieldValidation } = options;
  if ('error' in read) throw unrecognized(kind, read.error, body);
  const meta = withDefaults(read.type, kind, apiVersion);
  const shape = shapeOfType(meta, options);
  if ('error' in shape) throw cannotBeHandled(meta, kind, shape.error);
  const document = read.document(shape);
  if ('error' in document) throw cannotBeHandled(meta, kind, document.error);
  const decoded = decodeObject(document.value, shape, document);
  if ('fault' in decoded) throw cannotBeHandled(meta, kind, decoded.fault.text);
  const duplicates = read.yamlDuplicates;
  if (fieldValidation === 'Strict') {
    const yaml = duplicates.length > 0 ? [yamlStrictText(duplicates)] : [];
    const strict = [...yaml, ...decoded.strictErrors];
    if (strict.length > 0) throw cannotBeHandled(meta, kind, strictText(strict));
  }
  const warnings = fieldValidation === 'Warn' ? [...duplicates, ...decoded.strictErrors] : NONE;
  return { object: decoded.object, warnings, apiVersion: groupVersion(meta) };
}

const cannotBeHandled = (meta: TypeMeta, kind: string, error: string): Error =>
  badRequest(
    `${shorten(meta.kind)} in version ${goQuote(shorten(meta.version))} cannot be handled as a ${kind}: ${error}`,
  );

const unrecognized = (kind: string, error: string, body: Uint8Array): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${error} (${summary(body)})`);

const SUMMARY_BYTES = 30;

/** The beginning of a body for an error: as text if it looks like JSON, else in hex. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, SUMMARY_BYTES);
  const shown = head[0] === 0x7b ? bodyText(head) : toHex(head);
  return body.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
