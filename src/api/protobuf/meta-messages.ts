import { deleteOptionsShape, apiResourceListShape, listMetaShape, statusShape } from '../schema/meta-shapes.js';
import { list, metaStruct, scalar, typed } from '../schema/facts.js';
import { lazy } from '../schema/lazy.js';
import { objectMetaShape } from '../schema/object-meta-schema.js';
import type { Shape, StructShape } from '../schema/shape.js';

/** A type of which only the protobuf form is needed. Its fields are numbered from 1, and always written. */
export function message(name: string, fields: Readonly<Record<string, Shape>>): StructShape {
  const numbered = Object.entries(fields).map(([key, shape], index) => {
    return [key, typed(shape, index + 1, '', { presence: 'always' })] as const;
  });
  return metaStruct(name, '', Object.fromEntries(numbered));
}

/** The types of the kinds that every API server responds with, whatever it serves, by name. */
export const metaMessages: () => ReadonlyMap<string, StructShape> = lazy(() => {
  const all = [
    statusShape(),
    partialMetadataShape(),
    deleteOptionsShape(),
    ...discoveryMessages(),
    apiResourceListShape(),
    aggregatedDiscoveryMessage(),
  ];
  return new Map(all.map((shape) => [shape.name, shape]));
});

/** An object of which nothing but its metadata is shown (Kubernetes `meta/v1` PartialObjectMetadata). */
export const partialMetadataShape: () => StructShape = lazy(() =>
  message('PartialObjectMetadata', { metadata: objectMetaShape() }),
);

const text = scalar('string');
const texts = list(text);

function discoveryMessages(): readonly StructShape[] {
  const addresses = list(message('ServerAddressByClientCIDR', { clientCIDR: text, serverAddress: text }));
  const version = message('GroupVersionForDiscovery', { groupVersion: text, version: text });
  const group = message('APIGroup', {
    name: text,
    versions: list(version),
    preferredVersion: version,
    serverAddressByClientCIDRs: addresses,
  });
  return [
    group,
    message('APIVersions', { versions: texts, serverAddressByClientCIDRs: addresses }),
    message('APIGroupList', { groups: list(group) }),
  ];
}

/** The one document of aggregated discovery (Kubernetes `apidiscovery.k8s.io/v2`). */
function aggregatedDiscoveryMessage(): StructShape {
  const resource = message('APIResourceDiscovery', {
    resource: text,
    responseKind: message('GroupVersionKind', { group: text, version: text, kind: text }),
    scope: text,
    singularResource: text,
    verbs: texts,
    shortNames: texts,
    categories: texts,
  });
  const version = message('APIVersionDiscovery', { version: text, resources: list(resource), freshness: text });
  const group = message('APIGroupDiscovery', { metadata: objectMetaShape(), versions: list(version) });
  return message('APIGroupDiscoveryList', { metadata: listMetaShape(), items: list(group) });
}
