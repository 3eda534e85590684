import { readProtobuf } from '../protobuf/read-object.js';
import type { StructShape } from '../schema/shape.js';
import { badRequest } from '../status/failures.js';
import { goQuote } from '../../json/go-quote.js';
import { shorten } from '../../json/shorten.js';
import { DEFAULT_BODY_LIMITS, type BodyLimits } from '../body/body-limits.js';
import { decodeObject } from './decode-object.js';
import { decodeQuickly, ODD } from './decode-quickly.js';
import { bodyText, type PlainJson } from '../../json/parse-json.js';
import { parsePlain } from '../body/parse-body.js';
import type { QuickDecoder } from './quick-object.js';
import { readDocument, readOddJson, type BodyMediaType, type ReadDocument } from './read-document.js';
import { chain } from '../../http/promise.js';
import { strictText, yamlStrictText, type FieldValidation } from '../body/strict-errors.js';
import {
  groupVersion,
  readTypeMeta,
  saysExactly,
  typeMetaOf,
  UNSAID,
  withDefaults,
  wrongType,
  type TypeMeta,
} from './type-meta.js';

/** What is expected in a body, and how strictly. */
export interface DecodeBodyOptions {
  readonly mediaType: BodyMediaType;
  /** The object in the version the request is for. */
  readonly shape: StructShape;
  readonly kind: string;
  /** Group and version the request is for, `events.example.com/v1`. */
  readonly apiVersion: string;
  /**
   * The same kind in other group-versions, by apiVersion: read as what they are, for the caller to refuse. Without an
   * entry an object of another version is one nobody knows.
   */
  readonly otherVersions?: ReadonlyMap<string, StructShape> | undefined;
  readonly fieldValidation: FieldValidation;
  /** Asked before the decoder that knows all objects. */
  readonly quick?: QuickDecoder | undefined;
  /** Default {@link DEFAULT_BODY_LIMITS}. */
  readonly limits?: BodyLimits | undefined;
}

/** An object from a request. */
export interface DecodedBody {
  /** Canonical, without `kind` and `apiVersion`: see `decodeObject`. */
  readonly object: Record<string, unknown>;
  /** Texts of `Warning` headers, at most 100 of unknown and duplicate fields. */
  readonly warnings: readonly string[];
  readonly kind: string;
  /** The apiVersion of the body, or the expected one where it says none. Not the expected one only with `otherVersions`. */
  readonly apiVersion: string;
}

/**
 * The object in a request body (Kubernetes' order of checks: can it be read, is the kind known, do the types fit, and
 * under `Strict` are there unknown or duplicate fields). JSON is decoded at once, YAML and protobuf through a promise.
 * Protobuf knows no strictness: unknown fields are skipped.
 *
 * @throws StatusError 400 with Kubernetes' words; 413 for a body with too many fields and list items
 */
export function decodeBody(body: Uint8Array, options: DecodeBodyOptions): DecodedBody | Promise<DecodedBody> {
  const { mediaType, limits = DEFAULT_BODY_LIMITS } = options;
  if (mediaType === 'application/vnd.kubernetes.protobuf') return decodeMessage(body, options);
  if (mediaType === 'application/json') {
    const text = bodyText(body);
    const parsed = parsePlain(text, limits.members);
    if (!parsed) return decodeDocument(body, readOddJson(text), options);
    const plain = decodePlain(parsed, options);
    if (plain) return plain;
  }
  return chain(readDocument(body, mediaType, limits), (read) => decodeDocument(body, read, options));
}

/**
 * The usual body: JSON that says what is expected, without anything odd. In one walk over the object less than the way of
 * all others, which begins anew where this one ends; they decide alike.
 */
function decodePlain(
  parsed: PlainJson,
  { shape, kind, apiVersion, quick }: DecodeBodyOptions,
): DecodedBody | undefined {
  if (!saysExactly(parsed.value, kind, apiVersion)) return undefined;
  const known = quick?.(parsed.value as object);
  if (known) {
    if (known.keys !== parsed.keys) return undefined;
    return { object: known.object, warnings: NONE, kind, apiVersion };
  }
  const tally = { keys: 0 };
  const object = decodeQuickly(parsed.value, shape, true, undefined, tally);
  if (object === ODD || tally.keys !== parsed.keys) return undefined;
  return { object, warnings: NONE, kind, apiVersion };
}

const NONE: readonly string[] = Object.freeze([]);

async function decodeMessage(body: Uint8Array, options: DecodeBodyOptions): Promise<DecodedBody> {
  const { kind, limits } = options;
  const read = await readProtobuf(body, limits);
  if ('error' in read) throw unrecognized(kind, read.error, body);
  const meta = expectedType(typeMetaOf(read), options);
  const shape = shapeOf(meta, options);
  const message = read.read(shape);
  if ('error' in message) throw cannotBeHandled(meta, kind, message.error);
  const decoded = decodeObject(message.value, shape);
  if ('fault' in decoded) throw cannotBeHandled(meta, kind, decoded.fault.text);
  return { object: decoded.object, warnings: [], kind, apiVersion: groupVersion(meta) };
}

function decodeDocument(body: Uint8Array, read: ReadDocument, options: DecodeBodyOptions): DecodedBody {
  const { kind, fieldValidation } = options;
  if ('error' in read) throw unrecognized(kind, read.error, body);
  const { value } = read.document;
  const meta = typeOf(value, body, options);
  const found = groupVersion(meta);
  const decoded = decodeObject(value, shapeOf(meta, options), read.document);
  if ('fault' in decoded) throw cannotBeHandled(meta, kind, decoded.fault.text);
  const { object } = decoded;
  if (fieldValidation === 'Ignore') return { object, warnings: [], kind, apiVersion: found };
  if (fieldValidation === 'Warn') {
    return { object, warnings: [...read.yamlDuplicates, ...decoded.strictErrors], kind, apiVersion: found };
  }
  const strict = [...decoded.strictErrors];
  if (read.yamlDuplicates.length > 0) strict.unshift(yamlStrictText(read.yamlDuplicates));
  if (strict.length > 0) throw cannotBeHandled(meta, kind, strictText(strict));
  return { object, warnings: [], kind, apiVersion: found };
}

/** What the body says it is. @throws StatusError 400 where that is not the kind that is wanted */
function typeOf(value: unknown, body: Uint8Array, options: DecodeBodyOptions): TypeMeta {
  const { kind, apiVersion } = options;
  if (saysExactly(value, kind, apiVersion)) return withDefaults(UNSAID, kind, apiVersion);
  const said = readTypeMeta(value);
  if ('error' in said) throw unrecognized(kind, said.error, body);
  return expectedType(said, options);
}

/** A type completed by what is expected. @throws StatusError 400 where that is not the kind that is wanted */
function expectedType(said: TypeMeta, { kind, apiVersion, otherVersions }: DecodeBodyOptions): TypeMeta {
  const meta = withDefaults(said, kind, apiVersion);
  const isServed = (one: string): boolean => one === apiVersion || otherVersions?.has(one) === true;
  const wrong = wrongType(meta, { kind, isServed });
  if (wrong !== undefined) throw cannotBeHandled(meta, kind, wrong);
  return meta;
}

/** The shape of a type {@link expectedType} has let through. */
function shapeOf(meta: TypeMeta, { shape, apiVersion, otherVersions }: DecodeBodyOptions): StructShape {
  const found = groupVersion(meta);
  return found === apiVersion ? shape : (otherVersions?.get(found) as StructShape);
}

const cannotBeHandled = (meta: TypeMeta, kind: string, error: string): Error =>
  badRequest(
    `${shorten(meta.kind)} in version ${goQuote(shorten(meta.version))} cannot be handled as a ${kind}: ${error}`,
  );

const unrecognized = (kind: string, error: string, body: Uint8Array): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${error} (${summary(body)})`);

const SUMMARY_BYTES = 30;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The beginning of a body: as text if it looks like JSON, else in hex. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, SUMMARY_BYTES);
  const shown =
    head[0] === 0x7b ? decoder.decode(head) : Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return body.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
