import type { ListMeta } from '../../model/object-meta.js';

/**
 * The JSON of an item that is not joined yet: written straight into the chunk it leaves in, it is copied once and needs no
 * memory of its own, which is worth a third of the bytes a second of a long list.
 */
export interface UnjoinedItem {
  readonly byteLength: number;
  /** Writes all of it at a place where there is room. */
  writeTo(out: Uint8Array, at: number): void;
}

/** An item's JSON without kind and apiVersion. */
export type ListItem = Uint8Array | UnjoinedItem;

/** Items in batches, as stores hand them out. */
export type Batches = Iterable<readonly ListItem[]> | AsyncIterable<readonly ListItem[]>;

/** The bytes of an item. */
export function itemBytes(item: ListItem): Uint8Array {
  if (!('writeTo' in item)) return item;
  const bytes = new Uint8Array(item.byteLength);
  item.writeTo(bytes, 0);
  return bytes;
}

/** A list on its way out: what stands around the items, and what becomes of each of them. */
export interface ListForm {
  /** The members before the items in wire order, with their values as compact JSON. */
  readonly members: readonly (readonly [name: string, json: string])[];
  /** The member that holds the items. */
  readonly itemsName: 'items' | 'rows';
  /** What stands for no items at all. */
  readonly empty: '[]' | 'null';
  /** An item as it stands in the list, from its JSON without kind and apiVersion. Absent: as it is. */
  readonly item?: (json: Uint8Array) => Uint8Array;
}

/** The bytes of an item as it stands in the list. */
export function formed({ item: form }: ListForm, item: ListItem): Uint8Array {
  const json = itemBytes(item);
  return form ? form(json) : json;
}

/** The metadata of a list as compact JSON, in Kubernetes' order; what is unset or empty is left out. */
export function listMetaJson(meta: ListMeta): string {
  return JSON.stringify({
    ...(meta.resourceVersion && { resourceVersion: meta.resourceVersion }),
    ...(meta.continue && { continue: meta.continue }),
    ...(meta.remainingItemCount !== undefined && { remainingItemCount: meta.remainingItemCount }),
  });
}
