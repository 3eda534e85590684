import type { ListOptions } from '../../api/options/list-options.js';
import type { FrameEncoder, FrameType } from '../../api/representation/contract.js';
import type { Event } from '../../model/event.js';
import type { Revision } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import type { HubEntry } from '../../store/watch/hub-entry.js';
import type { VerbCall } from '../request/call.js';
import type { WatchedSelection } from '../request/watched-selections.js';
import { joinBytes } from '../../http/bytes.js';
import type { WatchCounters } from './watch-counters.js';
import { jsonBytes } from '../../json/json-source.js';

export interface WatchContext {
  readonly call: VerbCall;
  readonly options: ListOptions;
  readonly selection: WatchedSelection;
  readonly encoder: FrameEncoder;
  /** Equal changes in equal forms are encoded as equal bytes. `undefined` for an encoder with state. */
  readonly form: string | undefined;
  /** Aborted when the watch is over. */
  readonly signal: AbortSignal;
  /** Absent without an observer. */
  readonly counters?: WatchCounters | undefined;
}

export interface FrameSource {
  /** The next chunk; `undefined`: none yet, the source wakes the reader; `'end'`: there will be no more. May throw. */
  poll(): Uint8Array | 'end' | undefined;
  stop(): void;
}

/** The frame of a change for a watcher: ADDED or DELETED if its match changes. `'end'`: none can follow. */
export function frameOf(context: WatchContext, entry: HubEntry): Uint8Array | 'end' | undefined {
  const { change } = entry;
  const { selector } = context.selection;
  const { namespace } = context.call.scope;
  if (namespace !== '' && change.key.namespace !== namespace) return undefined;
  const { previous } = change;
  const before = previous !== undefined && selector.matches(previous.event);
  const now = change.type === 'put' && selector.matches(change.record.event);
  if (!before && !now) return undefined;
  if (now) return encoded(context, entry, before ? 'MODIFIED' : 'ADDED', change.record);
  // An event that leaves the selection is sent in the last state that matched, at the revision of the change.
  return encoded(context, entry, 'DELETED', { ...(previous as EventRecord), revision: change.revision });
}

function encoded(
  { call, encoder, form }: WatchContext,
  entry: HubEntry,
  type: FrameType,
  record: EventRecord,
): Uint8Array | 'end' {
  const encode = (): Uint8Array => encoder.encode(type, jsonBytes(call.version.object(record))) ?? END;
  const frame = form === undefined ? encode() : entry.frame(form, type, encode);
  return frame.length === 0 ? 'end' : frame;
}

const END = new Uint8Array(0);

/** Returns the frame of a bookmark: the watch has seen all changes up to this revision. */
export function bookmarkFrame(
  { call, encoder }: WatchContext,
  revision: Revision,
  endOfInitialEvents: boolean,
): ReturnType<FrameEncoder['encode']> {
  const annotations = endOfInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } };
  const bookmark = { metadata: { resourceVersion: String(revision), ...annotations } };
  return encoder.encode('BOOKMARK', call.version.unstoredJson(bookmark as Event));
}

/** The approximate size up to which frames are joined: a slow reader holds the whole chunk in memory. */
export const CHUNK_BYTES = 32_768;

/** Joins many small frames into a few large chunks; a single large frame is not copied. */
export function* joinFrames(frames: Iterable<Uint8Array>): Generator<Uint8Array, undefined> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for (const frame of frames) {
    pending.push(frame);
    length += frame.length;
    if (length < CHUNK_BYTES) continue;
    yield joined(pending);
    pending = [];
    length = 0;
  }
  if (length > 0) yield joined(pending);
}

/** Contiguous frames are not copied. A single one stays the same object, counted once for all watches of a caller. */
function joined(frames: readonly Uint8Array[]): Uint8Array {
  const first = frames[0] as Uint8Array;
  if (frames.length === 1) return first;
  const { buffer, byteOffset } = first;
  let end = byteOffset;
  for (const frame of frames) {
    if (frame.buffer !== buffer || frame.byteOffset !== end) return joinBytes(frames);
    end += frame.byteLength;
  }
  return new Uint8Array(buffer, byteOffset, end - byteOffset);
}
