import type { ListMeta } from '../../model/object-meta.js';
import type { FrameType, ResourceView } from './contract.js';
import { listMetaJson, type ListForm } from './list-form.js';

/** What becomes of an object before it is serialized. Works on compact JSON. */
export interface Transform {
  /** A single object, from its JSON with kind and apiVersion. Absent: as it is. */
  readonly object?: (json: Uint8Array) => Uint8Array;
  list(meta: ListMeta): ListForm;
  /** Set when the objects of a watch are changed without looking at what the stream already carried. */
  readonly streamKey: string | undefined;
  /** A new stream: the object of each watch event but ERROR; undefined ends the stream. */
  stream(): (type: FrameType, json: Uint8Array) => Uint8Array | undefined;
}

/** The objects themselves. */
export function wholeObjects(view: ResourceView): Transform {
  return {
    list: (meta) => ({
      members: [
        ['kind', JSON.stringify(view.listKind)],
        ['apiVersion', JSON.stringify(view.apiVersion)],
        ['metadata', listMetaJson(meta)],
      ],
      itemsName: 'items',
      empty: '[]',
    }),
    streamKey: view.apiVersion,
    stream: () => (_type, json) => json,
  };
}
