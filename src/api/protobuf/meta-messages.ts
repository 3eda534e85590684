import { deleteOptionsShape } from '../schema/delete-options-schema.js';
import { lazy } from '../schema/lazy.js';
import { apiResourceListShape, listMetaShape, statusShape } from '../schema/meta-shapes.js';
import { objectMetaShape } from '../schema/object-meta-schema.js';
import { createMessage, compiledMessage, type FieldType, type Message, type MessageField } from './message.js';

const field = (number: number, name: string, type: FieldType, always: boolean): MessageField => ({
  number,
  name,
  type,
  always,
});
const text = (number: number, name: string): MessageField =>
  field(number, name, { kind: 'scalar', type: 'string' }, true);
const nested = (number: number, name: string, message: Message, always = true): MessageField =>
  field(number, name, { kind: 'message', message }, always);
const list = (number: number, name: string, item: Message | 'string' = 'string'): MessageField =>
  field(number, name, { kind: 'list', item }, false);

export const listMetaMessage: () => Message = lazy(() => compiledMessage(listMetaShape()));

/** An object of which nothing but its metadata is shown (Kubernetes `meta/v1` PartialObjectMetadata). */
export const partialMetadataMessage: () => Message = lazy(() =>
  createMessage('PartialObjectMetadata', [nested(1, 'metadata', objectMetaMessage())]),
);

const objectMetaMessage: () => Message = lazy(() => compiledMessage(objectMetaShape()));

/** The messages of the kinds that every API server responds with, whatever it serves. */
export const metaMessages: () => ReadonlyMap<string, Message> = lazy(() => {
  const all = [
    compiledMessage(statusShape()),
    partialMetadataMessage(),
    compiledMessage(deleteOptionsShape()),
    ...discoveryMessages(),
    aggregatedDiscoveryMessage(),
  ];
  return new Map(all.map((message) => [message.name, message]));
});

function discoveryMessages(): readonly Message[] {
  const address = createMessage('ServerAddressByClientCIDR', [text(1, 'clientCIDR'), text(2, 'serverAddress')]);
  const version = createMessage('GroupVersionForDiscovery', [text(1, 'groupVersion'), text(2, 'version')]);
  const group = createMessage('APIGroup', [
    text(1, 'name'),
    list(2, 'versions', version),
    nested(3, 'preferredVersion', version),
    list(4, 'serverAddressByClientCIDRs', address),
  ]);
  return [
    group,
    createMessage('APIVersions', [list(1, 'versions'), list(2, 'serverAddressByClientCIDRs', address)]),
    createMessage('APIGroupList', [list(1, 'groups', group)]),
    compiledMessage(apiResourceListShape()),
  ];
}

/** The one document of aggregated discovery (Kubernetes `apidiscovery.k8s.io/v2`). */
function aggregatedDiscoveryMessage(): Message {
  const kind = createMessage('GroupVersionKind', [text(1, 'group'), text(2, 'version'), text(3, 'kind')]);
  const resource = createMessage('APIResourceDiscovery', [
    text(1, 'resource'),
    nested(2, 'responseKind', kind, false),
    text(3, 'scope'),
    text(4, 'singularResource'),
    list(5, 'verbs'),
    list(6, 'shortNames'),
    list(7, 'categories'),
  ]);
  const version = createMessage('APIVersionDiscovery', [
    text(1, 'version'),
    list(2, 'resources', resource),
    text(3, 'freshness'),
  ]);
  const group = createMessage('APIGroupDiscovery', [
    nested(1, 'metadata', objectMetaMessage()),
    list(2, 'versions', version),
  ]);
  return createMessage('APIGroupDiscoveryList', [nested(1, 'metadata', listMetaMessage()), list(2, 'items', group)]);
}
