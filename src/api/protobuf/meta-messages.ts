import { deleteOptionsShape } from '../schema/delete-options-schema.js';
import { lazy } from '../schema/lazy.js';
import { objectMetaShape } from '../schema/object-meta-schema.js';
import { createMessage, messageOf, type FieldType, type Message, type MessageField } from './message.js';

type Scalar = Extract<FieldType, { readonly kind: 'scalar' }>['type'];

const scalar = (number: number, name: string, type: Scalar = 'string'): MessageField => ({
  number,
  name,
  type: { kind: 'scalar', type },
  always: true,
});
const pointer = (field: MessageField): MessageField => ({ ...field, always: false });
const nested = (number: number, name: string, message: Message): MessageField => ({
  number,
  name,
  type: { kind: 'message', message },
  always: true,
});
const list = (number: number, name: string, item: Message | 'string' = 'string'): MessageField => ({
  number,
  name,
  type: { kind: 'list', item },
  always: false,
});

/** Metadata of lists (Kubernetes `meta/v1` ListMeta). */
export const listMetaMessage: () => Message = lazy(() =>
  createMessage('ListMeta', [
    scalar(1, 'selfLink'),
    scalar(2, 'resourceVersion'),
    scalar(3, 'continue'),
    pointer(scalar(4, 'remainingItemCount', 'int64')),
  ]),
);

/** An object of which nothing but its metadata is shown (Kubernetes `meta/v1` PartialObjectMetadata). */
export const partialMetadataMessage: () => Message = lazy(() =>
  createMessage('PartialObjectMetadata', [nested(1, 'metadata', objectMetaMessage())]),
);

const objectMetaMessage: () => Message = lazy(() => messageOf(objectMetaShape()));

/** The messages of the kinds that every API server answers with, whatever it serves. */
export const metaMessages: () => ReadonlyMap<string, Message> = lazy(() => {
  const all = [
    statusMessage(),
    partialMetadataMessage(),
    messageOf(deleteOptionsShape()),
    ...discoveryMessages(),
    aggregatedDiscoveryMessage(),
  ];
  return new Map(all.map((message) => [message.name, message]));
});

function statusMessage(): Message {
  const cause = createMessage('StatusCause', [scalar(1, 'reason'), scalar(2, 'message'), scalar(3, 'field')]);
  const details = createMessage('StatusDetails', [
    scalar(1, 'name'),
    scalar(2, 'group'),
    scalar(3, 'kind'),
    list(4, 'causes', cause),
    scalar(5, 'retryAfterSeconds', 'int32'),
    scalar(6, 'uid'),
  ]);
  return createMessage('Status', [
    nested(1, 'metadata', listMetaMessage()),
    scalar(2, 'status'),
    scalar(3, 'message'),
    scalar(4, 'reason'),
    pointer(nested(5, 'details', details)),
    scalar(6, 'code', 'int32'),
  ]);
}

/** What `/api`, `/apis` and the paths below answer. */
function discoveryMessages(): readonly Message[] {
  const address = createMessage('ServerAddressByClientCIDR', [scalar(1, 'clientCIDR'), scalar(2, 'serverAddress')]);
  const version = createMessage('GroupVersionForDiscovery', [scalar(1, 'groupVersion'), scalar(2, 'version')]);
  const group = createMessage('APIGroup', [
    scalar(1, 'name'),
    list(2, 'versions', version),
    nested(3, 'preferredVersion', version),
    list(4, 'serverAddressByClientCIDRs', address),
  ]);
  const resource = createMessage('APIResource', [
    scalar(1, 'name'),
    scalar(2, 'namespaced', 'bool'),
    scalar(3, 'kind'),
    { number: 4, name: 'verbs', type: { kind: 'strings' }, always: false },
    list(5, 'shortNames'),
    scalar(6, 'singularName'),
    list(7, 'categories'),
    scalar(8, 'group'),
    scalar(9, 'version'),
    scalar(10, 'storageVersionHash'),
  ]);
  return [
    group,
    createMessage('APIVersions', [list(1, 'versions'), list(2, 'serverAddressByClientCIDRs', address)]),
    createMessage('APIGroupList', [list(1, 'groups', group)]),
    createMessage('APIResourceList', [scalar(1, 'groupVersion'), list(2, 'resources', resource)]),
  ];
}

/** The one document of aggregated discovery (Kubernetes `apidiscovery.k8s.io/v2`). */
function aggregatedDiscoveryMessage(): Message {
  const kind = createMessage('GroupVersionKind', [scalar(1, 'group'), scalar(2, 'version'), scalar(3, 'kind')]);
  const resource = createMessage('APIResourceDiscovery', [
    scalar(1, 'resource'),
    pointer(nested(2, 'responseKind', kind)),
    scalar(3, 'scope'),
    scalar(4, 'singularResource'),
    list(5, 'verbs'),
    list(6, 'shortNames'),
    list(7, 'categories'),
  ]);
  const version = createMessage('APIVersionDiscovery', [
    scalar(1, 'version'),
    list(2, 'resources', resource),
    scalar(3, 'freshness'),
  ]);
  const group = createMessage('APIGroupDiscovery', [
    nested(1, 'metadata', objectMetaMessage()),
    list(2, 'versions', version),
  ]);
  return createMessage('APIGroupDiscoveryList', [nested(1, 'metadata', listMetaMessage()), list(2, 'items', group)]);
}
