import { toBase64, toHex } from '../../http/bytes.js';
import { groupVersion, type GroupVersion } from '../decode/type-meta.js';
import { loadedOnce } from '../schema/lazy.js';
import { encodeUtf8 } from '../../json/utf8.js';

export interface DiscoveryResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: true;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

const anyClient = (serverAddress: string): readonly object[] => [{ clientCIDR: '0.0.0.0/0', serverAddress }];

/** `/api`, of a server with or without the core group. */
export function apiVersions(core: readonly GroupVersion[], address: string): object {
  return {
    kind: 'APIVersions',
    versions: core.map(({ version }) => version),
    serverAddressByClientCIDRs: anyClient(address),
  };
}

function groupBody(served: GroupVersion): object {
  const described = { groupVersion: groupVersion(served), version: served.version };
  return { name: served.group, versions: [described], preferredVersion: described };
}

export function groupList(groups: readonly GroupVersion[], address: string): object {
  const described = groups.map((group) => ({ ...groupBody(group), serverAddressByClientCIDRs: anyClient(address) }));
  return { kind: 'APIGroupList', groups: described };
}

export function groupDocument(served: GroupVersion): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(served) };
}

/** `/apis/GROUP/VERSION`, and `/api/v1`, which has no apiVersion. `stored` is the version of stored objects. */
export async function resourceList(
  served: GroupVersion,
  resource: DiscoveryResource,
  stored: GroupVersion,
): Promise<object> {
  return {
    kind: 'APIResourceList',
    ...(served.group && { apiVersion: 'v1' }),
    groupVersion: groupVersion(served),
    resources: [{ ...resource, storageVersionHash: await storageVersionHash(stored, resource.kind) }],
  };
}

/** Kubernetes' hash of the stored version: base64 of the first 8 bytes of SHA-256 over `GROUP/VERSION/KIND`. */
export async function storageVersionHash({ group, version }: GroupVersion, kind: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(`${group}/${version}/${kind}`));
  return toBase64(new Uint8Array(digest).subarray(0, 8));
}

/** The kind that clients request with `as`, `g` and `v` in Accept. */
export const AGGREGATED = { kind: 'APIGroupDiscoveryList', group: 'apidiscovery.k8s.io', version: 'v2' } as const;

/** Everything below `/api` or `/apis` in one document. A group without a name (core) has no `name`. */
export function aggregatedDocument(groups: readonly GroupVersion[], resource: DiscoveryResource): object {
  const { name, singularName, kind, verbs, shortNames } = resource;
  const described = {
    resource: name,
    // Empty group and version: those of the enclosing entry.
    responseKind: { group: '', version: '', kind },
    scope: 'Namespaced',
    singularResource: singularName,
    verbs,
    shortNames,
  };
  return {
    kind: AGGREGATED.kind,
    apiVersion: groupVersion(AGGREGATED),
    metadata: {},
    items: groups.map(({ group, version }) => ({
      metadata: group ? { name: group } : {},
      versions: [{ version, resources: [described], freshness: 'Current' }],
    })),
  };
}

export interface CachedDocument {
  readonly bytes: () => Uint8Array | Promise<Uint8Array>;
  /** Its entity tag, as Kubernetes makes it: the bytes' SHA-512 in upper-case hex, in quotes. */
  readonly tag: () => string | Promise<string>;
}

const jsonOf = (document: object): Uint8Array => encodeUtf8(JSON.stringify(document));

export function cachedDocument<T extends object>(
  make: () => T | Promise<T>,
  write: (document: T) => Uint8Array | Promise<Uint8Array> = jsonOf,
): CachedDocument {
  const bytes = loadedOnce(async () => write(await make()));
  return { bytes, tag: loadedOnce(async () => entityTag(await bytes())) };
}

async function entityTag(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-512', bytes as Uint8Array<ArrayBuffer>);
  return `"${toHex(new Uint8Array(digest)).toUpperCase()}"`;
}
