import { goQuote, shorten } from '../../json/go-print.js';
import { isObject, member } from '../../json/json-tree.js';
import type { StructShape } from '../schema/shape.js';
import { jsonKind, wrongType } from './decode-fault.js';

/** A group and one of its versions. The empty group is core. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The group, version and kind of an object. Empty texts if they are absent. */
export interface TypeMeta extends GroupVersion {
  readonly kind: string;
}

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export function readTypeMeta(value: unknown): TypeMeta | { readonly error: string } {
  const object = value ?? {};
  if (!isObject(object)) return { error: parseError(wrongType(object, STRUCT)) };
  for (const key of Object.keys(object)) {
    if (key !== 'kind' && key !== 'apiVersion') continue;
    const got = jsonKind(object[key]);
    if (got === 'string' || got === 'null') continue;
    return { error: parseError(`json: cannot unmarshal ${got} into Go struct field .${key} of type string`) };
  }
  const own = (key: string): string => (member(object, key) as string | null | undefined) ?? '';
  return typeOf(own('apiVersion'), own('kind'));
}

/** The type of an object whose format allows only texts. An invalid apiVersion counts as absent. */
export function typeMetaOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): TypeMeta {
  const meta = typeOf(apiVersion, kind);
  return 'error' in meta ? { group: '', version: '', kind } : meta;
}

export function parseError(error: string): string {
  return `couldn't get version/kind; json parse error: ${error}`;
}

function typeOf(apiVersion: string, kind: string): TypeMeta | { readonly error: string } {
  const slash = apiVersion.indexOf('/');
  if (slash !== apiVersion.lastIndexOf('/')) return { error: `unexpected GroupVersion string: ${shorten(apiVersion)}` };
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
}

export function groupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path below which a group and version are served. */
export function groupVersionPath(served: GroupVersion): string {
  return `/api${served.group === '' ? '' : 's'}/${groupVersion(served)}`;
}

/** Completes missing parts with the expected ones, if the others agree. */
export function withDefaults(meta: TypeMeta, kind: string, apiVersion: string): TypeMeta {
  const expected = typeMetaOf({ apiVersion, kind: meta.kind || kind });
  if (meta.version === '' && (meta.group === '' || meta.group === expected.group)) return expected;
  return { group: meta.group, version: meta.version, kind: expected.kind };
}

/** Kinds that every group and version has; those of {@link V1_KINDS} exist only in plain `v1`. */
const SHARED_KINDS: ReadonlySet<string> = new Set([
  'WatchEvent',
  'ListOptions',
  'GetOptions',
  'DeleteOptions',
  'CreateOptions',
  'UpdateOptions',
  'PatchOptions',
]);
const V1_KINDS: ReadonlySet<string> = new Set(['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList']);

export function hasExactType(value: unknown, kind: string, apiVersion: string): value is object {
  return isObject(value) && value['kind'] === kind && value['apiVersion'] === apiVersion;
}

/** A kind in one group and version. */
export interface ServedKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly shape: StructShape;
}

export interface ExpectedType extends ServedKind {
  /** The same kind in other versions, by apiVersion: decoded for the caller to refuse. Others are unknown kinds. */
  readonly otherVersions?: ReadonlyMap<string, StructShape> | undefined;
}

/** The shape of a type; an error for a type that is not the expected kind. */
export function shapeOfType(
  meta: TypeMeta,
  { kind, apiVersion, shape, otherVersions }: ExpectedType,
): StructShape | { readonly error: string } {
  const found = groupVersion(meta);
  const served = found === apiVersion ? shape : otherVersions?.get(found);
  if (served && meta.kind === kind) return served;
  const other = served && (SHARED_KINDS.has(meta.kind) || meta.kind === `${kind}List`);
  if (other || (found === 'v1' && V1_KINDS.has(meta.kind))) {
    return { error: `converting (${meta.version}.${shorten(meta.kind)}) to (core.${kind}): unknown conversion` };
  }
  return { error: notRegistered(meta, 'pkg/api/legacyscheme/scheme.go:30') };
}

/** The error for an unknown kind; `scheme` is the location in Kubernetes' source that its own message names. */
export function notRegistered(meta: TypeMeta, scheme: string): string {
  return `no kind ${goQuote(shorten(meta.kind))} is registered for version ${goQuote(shorten(groupVersion(meta)))} in scheme "${scheme}"`;
}
