import type { ChunkMemory, LentBytes } from './chunk-memory.js';
import type { FrameType, ResourceView } from './contract.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches, ListForm } from './list-form.js';

/** What a serializer makes; a stream only where it would not fit one chunk, lent bytes only where there is a memory. */
export type SerializedBody = Uint8Array | LentBytes | AsyncIterable<Uint8Array>;

/** Writes the watch events of one stream, each around an object's JSON. */
export type FrameWriter = (type: FrameType, json: Uint8Array) => Uint8Array;

/** One wire format. A further format is one more file and one more entry in the list of `media-types.ts`. */
export interface Serializer {
  /** The bare media type, also the Content-Type of an answer. */
  readonly mediaType: string;
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
