import { chain } from '../../http/promise.js';
import type { JsonDocument, JsonResult } from '../../json/json-document.js';
import { bodyText, plainDocument } from '../../json/parse-json.js';
import { type BodyLimits, parseJson } from '../body/parse-body.js';
import { loadedOnce } from '../schema/lazy.js';
import type { StructShape } from '../schema/shape.js';
import { parseError, readTypeMeta, typeMetaOf, type TypeMeta } from './type-meta.js';

export type BodyMediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export type ReadDocument = TypedBody | { readonly error: string };

interface TypedBody {
  readonly type: TypeMeta;
  /** The object as JSON. Protobuf is read only here, and may be invalid. */
  document(shape: StructShape): (Partial<JsonDocument> & { readonly value: unknown }) | { readonly error: string };
  /** Duplicate keys of a YAML text, which only strict decoding reports. */
  readonly yamlDuplicates: readonly string[];
}

const protobuf = loadedOnce(() => import('../protobuf/read-object.js'));
type YamlReader = typeof import('../yaml/yaml.js');
export const yaml: () => YamlReader | Promise<YamlReader> = loadedOnce(() => import('../yaml/yaml.js'));

/** Loads what reads bodies other than JSON, so that they are then read synchronously. */
export function loadReader(contentType: string): unknown {
  if (/yaml/i.test(contentType)) return yaml();
  return /protobuf/i.test(contentType) ? protobuf() : undefined;
}

/** Parses a body up to its type. An empty YAML body is `null`. @throws StatusFailure 413 for too many fields */
export function readDocument(
  body: Uint8Array,
  mediaType: BodyMediaType,
  limits: BodyLimits,
): ReadDocument | Promise<ReadDocument> {
  if (mediaType === 'application/json') return typedJson(parseJson(bodyText(body), limits.members));
  if (mediaType === 'application/yaml') return readYaml(body, limits);
  return chain(protobuf(), ({ readProtobuf }) => {
    const read = readProtobuf(body, limits);
    return 'error' in read ? read : { type: typeMetaOf(read), document: read.read, yamlDuplicates: [] };
  });
}

export function typedJson(result: JsonResult): ReadDocument {
  return 'error' in result ? { error: parseError(result.error) } : typed(result.document, []);
}

function readYaml(body: Uint8Array, limits: BodyLimits): ReadDocument | Promise<ReadDocument> {
  return chain(yaml(), ({ parseYaml }) => {
    const result = parseYaml(bodyText(body), limits);
    return 'error' in result ? result : typed(plainDocument(result.value), result.duplicates);
  });
}

function typed(document: JsonDocument, yamlDuplicates: readonly string[]): ReadDocument {
  const type = readTypeMeta(document.value);
  return 'error' in type ? type : { type, document: () => document, yamlDuplicates };
}
