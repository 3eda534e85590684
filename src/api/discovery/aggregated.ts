import type { DiscoveryGroup, DiscoveryResource } from './contract.js';

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
