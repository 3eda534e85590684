import { decodeObject, type Decoded } from '../decode/decode-object.js';
import type { ServedKind } from '../decode/type-meta.js';
import { sameTree, isObject, member, type JsonObject } from '../../json/json-tree.js';
import type { StructShape } from '../schema/shape.js';
import { shorten } from '../../json/go-print.js';

/** An object as one version writes it: canonical, as `decodeObject` gives it, without `kind` and `apiVersion`. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The version a request is for. Entries of other versions are dropped by every write, as Kubernetes does. */
export interface ManagedVersion extends ServedKind {
  /** The tracked fields as a text that begins with `=`: equal texts mean equal fields. Undefined if there is none. */
  readonly fieldsPresent?: ((object: WireObject) => string | undefined) | undefined;
}

export function emptyObject(shape: StructShape): WireObject {
  return (decodeObject({}, shape) as Extract<Decoded, { readonly object: unknown }>).object;
}

export function contentBefore(live: WireObject | undefined, { shape }: ManagedVersion): WireObject {
  return live ? untracked(live) : emptyObject(shape);
}

/** The object without its managed fields, and without members of metadata named in `others`. */
export function untracked(object: WireObject, ...others: readonly string[]): WireObject {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return object;
  const rest: Record<string, unknown> = { ...metadata };
  delete rest['managedFields'];
  for (const name of others) delete rest[name];
  return { ...object, metadata: rest };
}

/** True if only managed fields differ. The resourceVersion is a condition, which the caller has checked. */
export function sameContent(left: WireObject, right: WireObject): boolean {
  return sameTree(untracked(left, 'resourceVersion'), untracked(right, 'resourceVersion'));
}

/** The type of an object; `text` as Kubernetes prints it: `events.example.com/v1, Kind=Event`, `/, Kind=`. */
export function objectType(object: JsonObject): Readonly<Record<'apiVersion' | 'kind' | 'text', string>> {
  const apiVersion = textOf(object, 'apiVersion');
  const kind = textOf(object, 'kind');
  const slash = apiVersion.indexOf('/');
  if (apiVersion.includes('/', slash + 1)) return { apiVersion: '', kind: '', text: '/, Kind=' };
  return { apiVersion, kind, text: `${slash === -1 ? '/' : ''}${shorten(apiVersion)}, Kind=${shorten(kind)}` };
}

export function describeObject(object: JsonObject): string {
  const metadata = member(object, 'metadata');
  const names = isObject(metadata) ? metadata : {};
  return `${shorten(textOf(names, 'namespace'))}/${shorten(textOf(names, 'name'))}; ${objectType(object).text}`;
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === 'string' ? value : '';
}
