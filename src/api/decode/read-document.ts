import { chain } from '../../http/promise.js';
import { DEFAULT_BODY_LIMITS, type BodyLimits } from '../body/member-limit.js';
import type { JsonDocument, JsonResult } from '../../json/json-document.js';
import { bodyText, parseStrictly, plainDocument } from '../../json/parse-json.js';
import { parseJson } from '../body/parse-body.js';
import { loadedOnce } from '../schema/lazy.js';
import type { readProtobuf } from '../protobuf/read-object.js';
import { parseError } from './type-meta.js';

/** The media types of texts an object may come in. */
export type DocumentMediaType = 'application/json' | 'application/yaml';

/** The media types an object may come in. */
export type BodyMediaType = DocumentMediaType | 'application/vnd.kubernetes.protobuf';

/** A body with the faults that only strict decoding reports, or the syntax error. */
export type ReadDocument =
  { readonly document: JsonDocument; readonly yamlDuplicates: readonly string[] } | { readonly error: string };

/**
 * Parses a body without interpreting it. An empty YAML body is `null`, an empty JSON body an error.
 *
 * @throws StatusFailure 413 for a body with too many fields and list items
 */
export function readDocument(
  body: Uint8Array,
  mediaType: DocumentMediaType,
  limits: BodyLimits = DEFAULT_BODY_LIMITS,
): ReadDocument | Promise<ReadDocument> {
  return mediaType === 'application/json' ? readJson(body, limits) : readYaml(body, limits);
}

function readJson(body: Uint8Array, limits: BodyLimits): ReadDocument {
  return readDocumentOf(parseJson(bodyText(body), limits.members));
}

/** An object in protobuf whose envelope has been read, or why that fails. */
export type ReadMessage = ReturnType<typeof readProtobuf>;

/** Loads what reads protobuf, with the first body. */
const protobuf = loadedOnce(() => import('../protobuf/read-object.js'));

/** Reads an object in protobuf, as `readProtobuf` does: through a promise the first time. */
export function readMessage(body: Uint8Array, limits?: BodyLimits): ReadMessage | Promise<ReadMessage> {
  return chain(protobuf(), (library) => library.readProtobuf(body, limits));
}

/** {@link readDocument} for JSON that `parsePlain` could not read. */
export function readOddJson(text: string): ReadDocument {
  return readDocumentOf(parseStrictly(text));
}

function readDocumentOf(result: JsonResult): ReadDocument {
  return 'error' in result ? { error: parseError(result.error) } : { document: result.document, yamlDuplicates: [] };
}

async function readYaml(body: Uint8Array, limits: BodyLimits): Promise<ReadDocument> {
  const result = (await import('../yaml/yaml.js')).parseYaml(bodyText(body), limits);
  if ('error' in result) return result;
  return { document: plainDocument(result.value), yamlDuplicates: result.duplicates };
}
