import type { ListMeta } from '../../model/object-meta.js';
import { jsonBytes, type JsonSource } from '../../json/json-source.js';

/** Items in batches: all of them, or as they come. */
export type Batches = readonly (readonly JsonSource[])[] | AsyncIterable<readonly JsonSource[]>;

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
export function formed({ item: form }: ListForm, item: JsonSource): Uint8Array {
  const json = jsonBytes(item);
  return form ? form(json) : json;
}

/** The metadata of a list as compact JSON, in Kubernetes' order; what is unset or empty is left out. */
export function listMetaJson(meta: ListMeta): string {
  const { resourceVersion, continue: token, remainingItemCount } = meta;
  return JSON.stringify({
    resourceVersion: resourceVersion || undefined,
    continue: token || undefined,
    remainingItemCount,
  });
}
