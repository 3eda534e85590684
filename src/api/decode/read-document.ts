import { isPromise } from '../../http/promise.js';
import { parseYaml } from '../yaml/yaml.js';
import type { JsonDocument } from './json-document.js';
import { bodyText, parseJson, plainDocument } from './parse-json.js';
import { parseError } from './type-meta.js';

/** The media types of texts an object may come in. */
export type DocumentMediaType = 'application/json' | 'application/yaml';

/** The media types an object may come in. */
export type BodyMediaType = DocumentMediaType | 'application/vnd.kubernetes.protobuf';

/** A body that could be read, with the faults only strict decoding minds, or why it could not. */
export type ReadDocument =
  { readonly document: JsonDocument; readonly yamlDuplicates: readonly string[] } | { readonly error: string };

/** Reads a body without looking at what it means. An empty YAML body is `null`, an empty JSON body an error. */
export function readDocument(body: Uint8Array, mediaType: DocumentMediaType): ReadDocument | Promise<ReadDocument> {
  return mediaType === 'application/json' ? readJson(body) : readYaml(body);
}

function readJson(body: Uint8Array): ReadDocument {
  const result = parseJson(bodyText(body));
  return 'error' in result ? { error: parseError(result.error) } : { document: result.document, yamlDuplicates: [] };
}

async function readYaml(body: Uint8Array): Promise<ReadDocument> {
  const result = await parseYaml(bodyText(body));
  if ('error' in result) return result;
  return { document: plainDocument(result.value), yamlDuplicates: result.duplicates };
}

/** Hands a value on, at once where it is there at once. */
export function whenRead<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
