import { type BodyLimits, parseJson, yamlStrictText, type FieldValidation } from '../body/parse-body.js';
import { GO_OBJECT, wrongType } from '../decode/decode-fault.js';
import { yaml } from '../decode/read-document.js';
import { chain } from '../../http/promise.js';
import { bodyText } from '../../json/parse-json.js';
import { isObject } from '../../json/json-tree.js';
import { badRequest } from '../status/failures.js';

export interface ApplyBody {
  /** Any JSON object, unchecked; an empty body and `null` are `{}`. */
  readonly intent: Readonly<Record<string, unknown>>;
  /** Duplicate keys, one line each: `line 7: key "d" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Reads YAML, or JSON synchronously. The caller bounds the size. @throws StatusFailure 400; 413 for too many fields */
export function readApplyBody(body: Uint8Array, limits: BodyLimits): ApplyBody | Promise<ApplyBody> {
  const text = bodyText(body);
  if (/^\s*\{/.test(text)) {
    const json = parseJson(text, limits.members);
    // Duplicate keys are reported by line, and only the YAML reader has line numbers.
    if ('document' in json && json.document.duplicates.length === 0) return bodyOf(json.document.value, []);
  }
  return readYaml(text, limits);
}

function readYaml(text: string, limits: BodyLimits): ApplyBody | Promise<ApplyBody> {
  return chain(yaml(), ({ parseYaml }) => {
    const read = parseYaml(text, limits);
    if ('error' in read) throw undecodable(`error converting YAML to JSON: ${read.error}`);
    return bodyOf(read.value, read.duplicates);
  });
}

function bodyOf(value: unknown, duplicates: readonly string[]): ApplyBody {
  const intent = value ?? {};
  if (isObject(intent)) return { intent, duplicates };
  throw undecodable(`error unmarshaling JSON: while decoding JSON: ${wrongType(intent, GO_OBJECT)}`);
}

const undecodable = (why: string): Error => badRequest(`error decoding YAML: ${why}`);

/** Warnings for a body that was applied; Kubernetes checks these last. @throws StatusFailure 400 under `Strict` */
export function applyBodyWarnings({ duplicates }: ApplyBody, fieldValidation: FieldValidation): readonly string[] {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return [];
  if (fieldValidation === 'Warn') return duplicates;
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlStrictText(duplicates)}`);
}
