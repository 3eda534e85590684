import { areTooLong } from '../validation/object-meta.js';
import { parseEmbedded } from '../../json/parse-json.js';
import { cloneTree, isObject, member, sortedJson } from '../../json/json-tree.js';
import { intentError } from './check-intent.js';
import { compareObjects } from './compare.js';
import { difference, EMPTY, type FieldSet } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { objectType, untracked, type ManagedVersion, type WireObject } from './tracked-object.js';

/** The annotation in which `kubectl apply` without `--server-side` keeps what it applied last. */
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The fields as client-side `kubectl apply` left them, which `kubectl apply --server-side` may change. */
export function lastAppliedFields(live: WireObject, version: ManagedVersion): FieldSet {
  const text = annotationsOf(live)?.[ANNOTATION];
  if (typeof text !== 'string') return EMPTY;
  const read = parseEmbedded(text);
  if ('error' in read || !isObject(read.document.value)) return EMPTY;
  const { kind: _kind, apiVersion: _apiVersion, ...applied } = read.document.value;
  if (objectType(read.document.value).apiVersion !== version.apiVersion) return EMPTY;
  if (intentError(applied, version.shape) !== undefined) return EMPTY;
  const object = untracked(applied);
  const { changed, removed } = compareObjects(object, live, version.shape);
  return difference(difference(fieldsOf(object, version.shape), changed), removed);
}

/** Updates the annotation if there is one, so that client-side apply can be used again. */
export function withLastApplied(
  object: Record<string, unknown>,
  intent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const annotations = annotationsOf(object);
  if (!annotations?.[ANNOTATION]) return object;
  const updated: Record<string, unknown> = { ...annotations, [ANNOTATION]: lastAppliedText(intent) };
  if (areTooLong(Object.entries(updated))) delete updated[ANNOTATION];
  return { ...object, metadata: { ...(object['metadata'] as object), annotations: updated } };
}

function annotationsOf(object: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const metadata = member(object, 'metadata');
  const annotations = isObject(metadata) ? member(metadata, 'annotations') : undefined;
  return isObject(annotations) ? annotations : undefined;
}

/** The intent as JSON with sorted keys, as Go writes it, with a final newline. */
function lastAppliedText(intent: Readonly<Record<string, unknown>>): string {
  const copy = cloneTree(intent) as Record<string, unknown>;
  const annotations = annotationsOf(copy);
  if (annotations) delete annotations[ANNOTATION];
  return `${sortedJson(copy).replace(/[<>&\u2028\u2029]/g, escaped)}\n`;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
