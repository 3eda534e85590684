import { goQuote, shorten } from '../../json/go-print.js';
import type { StructShape } from '../schema/shape.js';
import { jsonKind } from './decode-fault.js';

/** Kind and apiVersion of an object. Empty texts if they are absent. */
export interface TypeMeta {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The type of a document without kind and apiVersion. */
const UNSAID: TypeMeta = { group: '', version: '', kind: '' };

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Reads `kind` and `apiVersion` of a document, before anything else; or returns the error. */
export function readTypeMeta(value: unknown): TypeMeta | { readonly error: string } {
  if (value === null || value === undefined) return UNSAID;
  const found = jsonKind(value);
  if (found !== 'object')
    return { error: parseError(`json: cannot unmarshal ${found} into Go value of type ${STRUCT}`) };
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const member = object[key];
    if ((key === 'kind' || key === 'apiVersion') && member !== null && typeof member !== 'string') {
      const got = jsonKind(member);
      return { error: parseError(`json: cannot unmarshal ${got} into Go struct field .${key} of type string`) };
    }
  }
  const own = (key: string): string => (Object.hasOwn(object, key) ? ((object[key] as string | null) ?? '') : '');
  const groupVersion = splitGroupVersion(own('apiVersion'));
  return 'error' in groupVersion ? groupVersion : { ...groupVersion, kind: own('kind') };
}

/** The type of an object whose format allows only texts. Invalid values count as absent. */
export function typeMetaOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): TypeMeta {
  const groupVersion = splitGroupVersion(apiVersion);
  return 'error' in groupVersion ? { group: '', version: '', kind } : { ...groupVersion, kind };
}

/** The error for a document that cannot have `kind` and `apiVersion`. */
export function parseError(error: string): string {
  return `couldn't get version/kind; json parse error: ${error}`;
}

function splitGroupVersion(text: string): Omit<TypeMeta, 'kind'> | { readonly error: string } {
  if (text === '' || text === '/') return { group: '', version: '' };
  const parts = text.split('/', 3);
  if (parts.length > 2) return { error: `unexpected GroupVersion string: ${shorten(text)}` };
  return parts.length === 1 ? { group: '', version: text } : { group: parts[0] as string, version: parts[1] as string };
}

/** Group and version as `apiVersion` writes them. */
export function groupVersion({ group, version }: Pick<TypeMeta, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Completes missing parts with the expected ones, if the others agree. */
export function withDefaults(meta: TypeMeta, kind: string, apiVersion: string): TypeMeta {
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const sayings = { ...meta, kind: meta.kind === '' ? kind : meta.kind };
  if (meta.version !== '' || (meta.group !== '' && meta.group !== group)) return sayings;
  return { ...sayings, group, version };
}

/** Kinds every group-version knows, and those of plain `v1`. */
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

/** Fast path: true if a document has exactly the expected type. */
export function saysExactly(value: unknown, kind: string, apiVersion: string): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const said = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return said.kind === kind && said.apiVersion === apiVersion;
}

/** What an object in a body must be. */
export interface ExpectedType {
  readonly kind: string;
  /** Group and version of the request, `events.example.com/v1`. */
  readonly apiVersion: string;
  /** The shape of the object in the version of the request. */
  readonly shape: StructShape;
  /**
   * The same kind in other group-versions, by apiVersion: decoded as such, for the caller to refuse. Without an
   * entry another version is an unknown kind.
   */
  readonly otherVersions?: ReadonlyMap<string, StructShape> | undefined;
}

/** The shape of a type, completed by the expected one; or the error for a type that is not the expected kind. */
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
