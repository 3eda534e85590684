import type { ChunkMemory } from '../../api/representation/chunk-memory.js';
import type { FrameEncoder } from '../../api/representation/contract.js';
import type { JsonSource } from '../../json/json-source.js';
import type { Batches } from '../../api/representation/serializer.js';
import { nextTurn } from '../../clock/clock.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { Status } from '../../model/status.js';
import { eventSize, type EventRecord } from '../../store/contract/record.js';
import type { Verb } from './scope.js';
import type { VerbCall } from './call.js';

/** What a verb hands back; `api/representation` makes bytes of it in one place. */
export type Result =
  | { readonly kind: 'object'; readonly status: 200 | 201 | 202; readonly json: JsonSource }
  | {
      readonly kind: 'list';
      readonly meta: ListMeta;
      readonly batches: Batches;
      readonly memory?: ChunkMemory;
      /** Bytes of events that are in memory before the answer begins, where the list has read them for itself. */
      readonly ahead?: number;
    }
  | { readonly kind: 'watch'; frames(encoder: FrameEncoder, onEnd: () => void): AsyncIterable<Uint8Array> }
  | { readonly kind: 'status'; readonly status: Status };

/** True for verbs that change nothing. */
export const isRead = (verb: Verb | ''): boolean => verb === 'get' || verb === 'list' || verb === 'watch';

/** Reading an event of more bytes, changing it, and converting it takes a turn of the event loop each. */
const VAST_BYTES = 524_288;

/** True for an event that takes milliseconds to read. */
export const isVast = ({ event }: EventRecord): boolean => eventSize(event) > VAST_BYTES;

/** A stored event as the answer. */
export function storedObject(call: VerbCall, status: 200 | 201 | 202, record: EventRecord): Result | Promise<Result> {
  if (isVast(record)) return vastObject(call, status, record);
  return { kind: 'object', status, json: call.version.object(record) };
}

/** The same, with turns of the event loop before and after it. */
async function vastObject({ version }: VerbCall, status: 200 | 201 | 202, record: EventRecord): Promise<Result> {
  await nextTurn();
  const json = version.object(record);
  await nextTurn();
  return { kind: 'object', status, json };
}
