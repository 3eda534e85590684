import type { ResponseHeaders } from '../../http/response.js';
import type { ListMeta } from '../../model/object-meta.js';
import { jsonBytes, type JsonSource } from '../../json/json-source.js';
import type { ChunkMemory, LentBytes } from './chunk-memory.js';
import type { FrameType, ResourceView } from './contract.js';
import { nextTurn } from '../../clock/clock.js';

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

/** What a serializer makes; a stream only where it would not fit one chunk, lent bytes only where there is a memory. */
export type SerializedBody = Uint8Array | LentBytes | AsyncIterable<Uint8Array>;

/** Writes the watch events of one stream, each around an object's JSON. */
export type FrameWriter = (type: FrameType, json: Uint8Array) => Uint8Array;

/** One wire format. A further format is one more file and one more entry in the list of `media-types.ts`. */
export interface Serializer extends FormatWriter {
  /** The bare media type, also the Content-Type of a response. */
  readonly mediaType: string;
  /** The headers of a response: always the same object, because bridges remember what they made of it. */
  readonly headers: ResponseHeaders;
  /** Content-Type of a watch; undefined where this format has no framing. */
  readonly streamType: string | undefined;
  /** Whether Tables exist in this format. */
  readonly tables: boolean;
  /** The same format for human eyes; undefined where that is no different. */
  readonly pretty: Serializer | undefined;
  /** True when the items of a list are written as they are, with a comma between two. */
  readonly joinsItems?: boolean;
  /** True when all items of a list are held before the first is sent. */
  readonly gathersItems?: boolean;
}

/** How a format is written. */
export interface FormatWriter {
  /** One value, from its compact JSON. `view` is the resource it may be an object of; documents and failures have none. */
  value(json: JsonSource, view?: ResourceView): SerializedBody | Promise<SerializedBody>;
  /** At once where the batches are there and the answer fits a chunk. */
  list(
    form: ListForm,
    batches: Batches,
    view: ResourceView,
    memory?: ChunkMemory,
  ): SerializedBody | Promise<SerializedBody>;
  /** Ready to write a watch, at once where nothing has to be loaded. Only called when `streamType` is set. */
  frames(view: ResourceView): FrameWriter | Promise<FrameWriter>;
}

/** So much JSON is rewritten in one turn of the event loop: 5 to 10 ms as YAML, less as protobuf. */
const BYTES_IN_A_TURN = 32_768;

/** For work on many objects: told of the bytes of each, it gives something to wait for when it is time for another turn. */
export function createTurns(): (bytes: number) => Promise<void> | undefined {
  let left = BYTES_IN_A_TURN;
  return (bytes) => {
    left -= bytes;
    if (left > 0) return undefined;
    left = BYTES_IN_A_TURN;
    return nextTurn();
  };
}
