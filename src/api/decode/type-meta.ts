import { goQuote } from '../../json/go-quote.js';
import { shorten } from '../../json/shorten.js';
import { jsonKind } from './decode-fault.js';

/** What an object says it is. Empty texts where it does not say. */
export interface TypeMeta {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What a document says that says nothing. */
export const UNSAID: TypeMeta = { group: '', version: '', kind: '' };

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Reads `kind` and `apiVersion` of a document, before anything else is looked at; or says why that cannot be. */
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

/** What an object says it is whose form has no place for anything but texts. What cannot be understood is not said. */
export function typeMetaOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): TypeMeta {
  const groupVersion = splitGroupVersion(apiVersion);
  return 'error' in groupVersion ? { group: '', version: '', kind } : { ...groupVersion, kind };
}

/** The words for a document in which `kind` and `apiVersion` could not even be looked for. */
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

/** What was not said is what is expected, as far as the rest agrees. */
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

/** True where a document says in so many words what is expected: the usual case, which needs no further look. */
export function saysExactly(value: unknown, kind: string, apiVersion: string): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const said = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  return said.kind === kind && said.apiVersion === apiVersion;
}

/** What is served: one kind in a few group-versions. */
export interface KnownTypes {
  readonly kind: string;
  readonly isServed: (apiVersion: string) => boolean;
}

/** Why an object of this type is not the kind that is wanted; undefined when it is. */
export function wrongType(meta: TypeMeta, known: KnownTypes): string | undefined {
  const apiVersion = groupVersion(meta);
  const served = known.isServed(apiVersion);
  if (served && meta.kind === known.kind) return undefined;
  const other = served && (SHARED_KINDS.has(meta.kind) || meta.kind === `${known.kind}List`);
  if (other || (apiVersion === 'v1' && V1_KINDS.has(meta.kind))) {
    return `converting (${meta.version}.${shorten(meta.kind)}) to (core.${known.kind}): unknown conversion`;
  }
  return notRegistered(meta, 'pkg/api/legacyscheme/scheme.go:30');
}

/** The words for a kind nobody knows; `scheme` is the place in Kubernetes' source its own message names. */
export function notRegistered(meta: TypeMeta, scheme: string): string {
  return `no kind ${goQuote(shorten(meta.kind))} is registered for version ${goQuote(shorten(groupVersion(meta)))} in scheme "${scheme}"`;
}
