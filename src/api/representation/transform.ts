import type { ListMeta } from '../../model/object-meta.js';
import type { FrameType, ResourceView } from './contract.js';
import type { ListForm } from './serializer.js';
import { joinBytes } from '../../http/bytes.js';
import { memberBytes } from '../../json/raw-json.js';
import { encodeUtf8 } from '../../json/utf8.js';

/** How an object is changed before it is serialized. Works on compact JSON. */
export interface Transform {
  /** A single object, from its JSON with kind and apiVersion. Absent: unchanged. */
  readonly object?: (json: Uint8Array) => Uint8Array;
  list(meta: ListMeta): ListForm;
  /** Set if the transformed objects of a watch do not depend on earlier ones. */
  readonly streamKey: string | undefined;
  /** A new stream: the object of each watch event but ERROR; undefined ends the stream. */
  stream(): (type: FrameType, json: Uint8Array) => Uint8Array | undefined;
}

/** The members of a list before its items, in Kubernetes' order. Its metadata have no unset or empty members. */
export function listMembers(kind: string, apiVersion: string, meta: ListMeta): ListForm['members'] {
  const { resourceVersion, continue: token, remainingItemCount } = meta;
  const metadata = { resourceVersion: resourceVersion || undefined, continue: token || undefined, remainingItemCount };
  return [
    ['kind', JSON.stringify(kind)],
    ['apiVersion', JSON.stringify(apiVersion)],
    ['metadata', JSON.stringify(metadata)],
  ];
}

export function wholeObjects(view: ResourceView): Transform {
  return {
    list: (meta) => ({ members: listMembers(view.listKind, view.apiVersion, meta), itemsName: 'items', empty: '[]' }),
    streamKey: view.apiVersion,
    stream: () => (_type, json) => json,
  };
}

const END = encodeUtf8('}');

/** Makes PartialObjectMetadata objects: kind, apiVersion, and the unchanged bytes of an object's metadata. */
export function partialObjectMetadata(apiVersion: string): (json: Uint8Array) => Uint8Array {
  const start = encodeUtf8(`{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":`);
  return (json) => joinBytes([start, memberBytes(json, 'metadata') as Uint8Array, END]);
}

/** `as=PartialObjectMetadata` (objects, watches) and `as=PartialObjectMetadataList` (lists). */
export function metadataOnly(apiVersion: string): Transform {
  const partial = partialObjectMetadata(apiVersion);
  return {
    object: partial,
    list: (meta) => ({
      members: listMembers('PartialObjectMetadataList', apiVersion, meta),
      itemsName: 'items',
      // Unlike an EventList, whose items are never null.
      empty: 'null',
      item: partial,
    }),
    streamKey: `PartialObjectMetadata.${apiVersion}`,
    stream: () => (_type, json) => partial(json),
  };
}

/** `as=PartialObjectMetadataList` on a watch: the stream ends without a frame at the first object, as in Kubernetes. */
export function metadataListWatch(apiVersion: string): Transform {
  return { ...metadataOnly(apiVersion), streamKey: undefined, stream: () => () => undefined };
}
