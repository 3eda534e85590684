import type { DiscoveryGroup, DiscoveryResource, DiscoveryVersion, GroupVersionKind } from './contract.js';

/** The address at which any client reaches the server. */
export interface ServerAddress {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

/** The only entry. */
export function anyClient(serverAddress: string): readonly ServerAddress[] {
  return [{ clientCIDR: '0.0.0.0/0', serverAddress }];
}

/** `/api`. */
export function apiVersions(core: DiscoveryVersion | undefined, address: string): object {
  return {
    kind: 'APIVersions',
    versions: core ? [core.version] : [],
    serverAddressByClientCIDRs: anyClient(address),
  };
}

const groupVersion = (group: string, version: string): string => (group ? `${group}/${version}` : version);

function groupBody({ name, versions }: DiscoveryGroup): object {
  const described = versions.map(({ version }) => ({ groupVersion: groupVersion(name, version), version }));
  const preferred = versions.findIndex((version) => version.preferred);
  return { name, versions: described, preferredVersion: described[Math.max(preferred, 0)] };
}

/** `/apis`. */
export function groupList(groups: readonly DiscoveryGroup[], address: string): object {
  const described = groups.map((group) => ({ ...groupBody(group), serverAddressByClientCIDRs: anyClient(address) }));
  return { kind: 'APIGroupList', groups: described };
}

/** `/apis/GROUP`. */
export function groupDocument(group: DiscoveryGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) };
}

/** `/apis/GROUP/VERSION`, and `/api/v1` (empty group), which has no apiVersion. */
export async function resourceList(group: string, { version, resources }: DiscoveryVersion): Promise<object> {
  return {
    kind: 'APIResourceList',
    ...(group && { apiVersion: 'v1' }),
    groupVersion: groupVersion(group, version),
    resources: await Promise.all(resources.map(plainResource)),
  };
}

async function plainResource(resource: DiscoveryResource): Promise<object> {
  const { name, singularName, namespaced, kind, verbs, shortNames, storedAs } = resource;
  return {
    name,
    singularName,
    namespaced,
    kind,
    verbs: [...verbs].sort(),
    ...(shortNames?.length && { shortNames }),
    ...(storedAs && { storageVersionHash: await storageVersionHash(storedAs) }),
  };
}

const encoder = new TextEncoder();

/** The hash of the version in which objects are stored: base64 of the first 8 bytes of SHA-256 over `GROUP/VERSION/KIND`. */
export async function storageVersionHash({ group, version, kind }: GroupVersionKind): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${group}/${version}/${kind}`));
  return btoa(String.fromCharCode(...new Uint8Array(digest).subarray(0, 8)));
}

/** The kind that clients request with `as`, `g` and `v`. */
export const AGGREGATED: { readonly kind: string; readonly group: string; readonly version: string } = {
  kind: 'APIGroupDiscoveryList',
  group: 'apidiscovery.k8s.io',
  version: 'v2',
};

/** Everything below `/api` or `/apis` in one document. A group without name (core) has no `name`. */
export function aggregatedDocument(groups: readonly DiscoveryGroup[]): object {
  return {
    kind: AGGREGATED.kind,
    apiVersion: `${AGGREGATED.group}/${AGGREGATED.version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: preferredFirst(versions).map(({ version, resources }) => ({
        version,
        resources: resources.map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  };
}

/** Only the order shows which version is preferred. */
function preferredFirst(versions: DiscoveryGroup['versions']): DiscoveryGroup['versions'] {
  return [...versions].sort((a, b) => Number(b.preferred ?? false) - Number(a.preferred ?? false));
}

/** `responseKind` leaves group and version empty: they are those of the enclosing entry. */
function aggregatedResource({ name, singularName, namespaced, kind, verbs, shortNames }: DiscoveryResource): object {
  return {
    resource: name,
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs: [...verbs].sort(),
    ...(shortNames?.length && { shortNames }),
  };
}
