import type { ResponseHeaders } from '../../http/response.js';
import { jsonBytes, type JsonSource } from '../../json/json-source.js';
import type { ChunkMemory, PooledBytes } from './chunk-memory.js';
import type { Batches, FrameType, ResourceView } from './contract.js';
import { sharedTurn } from '../../clock/shared-turn.js';

export interface ListForm {
  /** The members before the items in wire order, with their values as compact JSON. */
  readonly members: readonly (readonly [name: string, json: string])[];
  readonly itemsName: 'items' | 'rows';
  /** The value of the items member if there are no items. */
  readonly empty: '[]' | 'null';
  /** An item of the list, from its JSON without kind and apiVersion. Absent: unchanged. */
  readonly item?: (json: Uint8Array) => Uint8Array;
}

export function formed({ item: form }: ListForm, item: JsonSource): Uint8Array {
  const json = jsonBytes(item);
  return form ? form(json) : json;
}

/** A stream only if it does not fit one chunk, pooled bytes only if there is a memory. */
export type SerializedBody = Uint8Array | PooledBytes | AsyncIterable<Uint8Array>;

export type FrameWriter = (type: FrameType, json: Uint8Array) => Uint8Array;

/** One wire format: a file, and an entry in the list of `media-types.ts`. */
export interface Serializer extends FormatWriter {
  /** The bare media type, also the Content-Type of a response. */
  readonly mediaType: string;
  /** The headers of a response: always the same object, because bridges cache what they make of it. */
  readonly headers: ResponseHeaders;
  /** Content-Type of a watch; undefined if this format has no framing. */
  readonly streamType: string | undefined;
  readonly tables: boolean;
  /** The same format for human readers; undefined if there is no difference. */
  readonly pretty: Serializer | undefined;
  /** True if list items are written unchanged, separated by commas. */
  readonly joinsItems?: boolean;
  /** True if all items of a list are held before the first is sent. */
  readonly gathersItems?: boolean;
}

export interface FormatWriter {
  /** One value, from its compact JSON. `view` is its resource, if it is an object. */
  value(json: JsonSource, view?: ResourceView): SerializedBody | Promise<SerializedBody>;
  /** Synchronous if the batches are an array and the response fits a chunk. */
  list(
    form: ListForm,
    batches: Batches,
    view: ResourceView,
    memory?: ChunkMemory,
  ): SerializedBody | Promise<SerializedBody>;
  /** The writer of a watch, synchronously if the format is loaded. Only called if `streamType` is set. */
  frames(view: ResourceView): FrameWriter | Promise<FrameWriter>;
}

/** The JSON rewritten in one turn of the event loop: 5 to 10 ms as YAML, less as protobuf. */
const BYTES_IN_A_TURN = 32_768;

/** The returned function takes the bytes of an object, and returns a promise when a turn of the event loop ends. */
export function createYielder(): (bytes: number) => Promise<void> | undefined {
  let left = BYTES_IN_A_TURN;
  return (bytes) => {
    left -= bytes;
    if (left > 0) return undefined;
    left = BYTES_IN_A_TURN;
    return sharedTurn();
  };
}
