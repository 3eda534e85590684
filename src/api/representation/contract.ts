import type { ApiResponse } from '../../http/response.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { Status } from '../../model/status.js';
import type { StructShape } from '../schema/shape.js';
import type { ChunkMemory } from './chunk-memory.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches } from './serializer.js';

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

/** A resource in one served version, as far as representations need to know it. */
export interface ResourceView {
  /** `events.example.com/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  /** The object in this version. */
  readonly shape: StructShape;
  readonly table: TableDefinition;
}

/** What the answer holds: decides which transforms and media types can be had. */
export type AnswerShape = 'object' | 'list' | 'watch';

/** The types of watch events. */
export type FrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Makes the frames of one watch. It may remember what the stream already carried. */
export interface FrameEncoder {
  /**
   * When set, frames depend on nothing but (this key, type, object) and may be shared between watchers. Unset where a
   * frame depends on its place in the stream (the first Table carries the columns).
   */
  readonly cacheKey: string | undefined;
  /** One frame with its newline, from the object's JSON (with kind and apiVersion); undefined ends the stream. */
  encode(type: FrameType, json: Uint8Array): Uint8Array | undefined;
}

/**
 * How one answer is written: transform × serializer × framing, chosen once by negotiation. Everything goes in as JSON
 * bytes; only a transform or another serializer parses them.
 */
export interface Representation {
  /** The Status of a success, which is never transformed. */
  status(status: Status): ApiResponse | Promise<ApiResponse>;
  /** From the object's JSON, with kind and apiVersion, without newline. */
  object(json: JsonSource, status: 200 | 201 | 202): ApiResponse | Promise<ApiResponse>;
  /**
   * From the items' JSON, without kind and apiVersion, in batches. JSON streams them through reused buffers when they
   * are more than one chunk; other serializers gather them. What the batches throw before the first chunk is full is
   * thrown here, later by the body. With a `memory` the answer may have a `release`.
   */
  list(meta: ListMeta, batches: Batches, memory?: ChunkMemory): ApiResponse | Promise<ApiResponse>;
  /** True when the items of a list are written as they are, with a comma between two: they may come joined. */
  readonly joinsItems: boolean;
  /** True when a list is only written once all of its items are there. */
  readonly gathersItems: boolean;
  /** A new stream of frames, at once where the format needs nothing loaded. Only for answers of shape `watch`. */
  frames(): FrameEncoder | Promise<FrameEncoder>;
  /** Content type of a watch. */
  readonly streamType: string;
}
