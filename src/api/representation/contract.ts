import type { ApiResponse } from '../../http/response.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { Status } from '../../model/status.js';
import type { ServedKind } from '../decode/type-meta.js';
import type { ChunkMemory } from './chunk-memory.js';
import type { JsonSource } from '../../json/json-source.js';

/** Items in batches: all of them, or as they are read. */
export type Batches<Item = JsonSource> = readonly (readonly Item[])[] | AsyncIterable<readonly Item[]>;

/** A column of a server-side printed table; `priority` 1 is shown by `-o wide` only. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** How a resource is printed as a Table. `now` is microseconds since the epoch. */
export interface TableDefinition {
  readonly columns: readonly TableColumn[];
  cells(object: unknown, now: number): readonly (string | number)[];
}

export interface ResourceView extends ServedKind {
  readonly listKind: string;
  readonly table: TableDefinition;
}

/** The content of the response, which decides the possible transforms and media types. */
export type ResponseKind = 'object' | 'list' | 'watch';

export type FrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Makes the frames of one watch, which may depend on earlier ones. */
export interface FrameEncoder {
  /** If set, frames depend only on this key, the type and the object, and watchers may share them. */
  readonly cacheKey: string | undefined;
  /** One frame with its newline, from the object's JSON (with kind and apiVersion); undefined ends the stream. */
  encode(type: FrameType, json: Uint8Array): Uint8Array | undefined;
}

/** How one response is written, chosen once by negotiation. Only transforms and serializers parse the JSON bytes. */
export interface Representation {
  /** The Status of a success, which is never transformed. */
  status(status: Status): ApiResponse | Promise<ApiResponse>;
  /** From the object's JSON, with kind and apiVersion, without newline. */
  object(json: JsonSource, status: 200 | 201 | 202): ApiResponse | Promise<ApiResponse>;
  /**
   * Writes the items' JSON without kind and apiVersion. Streams JSON of more than one chunk. Errors of the batches are
   * thrown here until the first chunk is full, later by the body.
   */
  list(meta: ListMeta, batches: Batches, memory?: ChunkMemory): ApiResponse | Promise<ApiResponse>;
  /** True if list items are written unchanged, separated by commas, so that several may be passed as one. */
  readonly joinsItems: boolean;
  /** True if a list is written only after all of its items have been read. */
  readonly gathersItems: boolean;
  /** A new stream of frames, synchronously if the format is loaded. Only for the kind `watch`. */
  frames(): FrameEncoder | Promise<FrameEncoder>;
  readonly streamType: string;
}
