import type { ListOptions } from '../../api/options/list-options.js';
import type { FrameEncoder, FrameType } from '../../api/representation/contract.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { Event } from '../../model/event.js';
import type { Revision } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import type { HubEntry } from '../../store/watch/hub-entry.js';
import type { VerbCall } from '../request/call.js';
import { joinBytes } from '../../http/bytes.js';
import type { WatchTally } from './watch-tally.js';

/** What a watch was asked for, and its end. */
export interface WatchParts {
  readonly call: VerbCall;
  readonly options: ListOptions;
  readonly selector: Selector;
  readonly encoder: FrameEncoder;
  /** Equal for watches with the same selector. */
  readonly selectionKey: string;
  /** What its frames are in: equal forms of equal changes are equal bytes. `undefined` for a stream that has a memory. */
  readonly form: string | undefined;
  /** Aborted when the watch is over. */
  readonly signal: AbortSignal;
  /** Counts what is sent; absent where nobody observes. */
  readonly tally?: WatchTally | undefined;
}

/** One stretch of a watch's frames, as chunks ready to be written. */
export interface FrameSource {
  /** The next chunk; `undefined`: nothing yet, the source wakes who asked; `'end'`: there will be none. May throw. */
  poll(): Uint8Array | 'end' | undefined;
  /** The watch is over, nobody will ask again. */
  stop(): void;
}

/**
 * The frame of a change for one watcher: nothing when it is not selected, ADDED and DELETED also for events that begin or
 * cease to match. `'end'` when the representation cannot go on.
 */
export function frameOf(parts: WatchParts, entry: HubEntry): Uint8Array | 'end' | undefined {
  const { change } = entry;
  const { selector } = parts;
  const { namespace } = parts.call.scope;
  if (namespace !== '' && change.key.namespace !== namespace) return undefined;
  const { previous } = change;
  const before = previous !== undefined && selector.matches(previous.event);
  const now = change.type === 'put' && selector.matches(change.record.event);
  if (!before && !now) return undefined;
  if (now) return encoded(parts, entry, before ? 'MODIFIED' : 'ADDED', change.record);
  // leaving the selection shows the last state that matched, at the revision of the change
  const last = change.type === 'delete' ? change.record : { ...(previous as EventRecord), revision: change.revision };
  return encoded(parts, entry, 'DELETED', last);
}

function encoded(
  { call, encoder, form }: WatchParts,
  entry: HubEntry,
  type: FrameType,
  record: EventRecord,
): Uint8Array | 'end' {
  const encode = (): Uint8Array => encoder.encode(type, call.version.objectJson(record)) ?? END;
  const frame = form === undefined ? encode() : entry.frame(form, type, encode);
  return frame.length === 0 ? 'end' : frame;
}

const END = new Uint8Array(0);

/** The frame of a bookmark, which says that the watch has seen all changes up to this revision; as {@link FrameEncoder.encode}. */
export function bookmarkFrame(
  { call, encoder }: WatchParts,
  revision: Revision,
  endOfInitialEvents: boolean,
): ReturnType<FrameEncoder['encode']> {
  const annotations = endOfInitialEvents && { annotations: { 'k8s.io/initial-events-end': 'true' } };
  const bookmark = { metadata: { resourceVersion: String(revision), ...annotations } };
  return encoder.encode('BOOKMARK', call.version.unstoredJson(bookmark as Event));
}

/** Frames that came together leave together, but not more than about this much: a slow reader holds what is joined. */
const CHUNK_BYTES = 32_768;

/** Makes a few large chunks of many small frames. */
interface FrameJoiner {
  /** Takes a frame, and gives a chunk when enough has come. */
  add(frame: Uint8Array): Uint8Array | undefined;
  /** What is left, if anything. */
  rest(): Uint8Array | undefined;
}

/** Frames that lie one behind the other as one, without a copy; `undefined`: they do not. */
function neighbours(frames: readonly Uint8Array[]): Uint8Array | undefined {
  const [first] = frames;
  if (first === undefined || frames.length === 1) return first;
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of frames) {
    if (buffer !== first.buffer || byteOffset !== end) return undefined;
    end += byteLength;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** Makes an empty {@link FrameJoiner}. A frame that is large by itself is handed on as it is. */
export function createFrameJoiner(): FrameJoiner {
  let frames: Uint8Array[] = [];
  let length = 0;
  const rest = (): Uint8Array | undefined => {
    if (frames.length === 0) return undefined;
    const chunk = neighbours(frames) ?? joinBytes(frames);
    frames = [];
    length = 0;
    return chunk;
  };
  return {
    add(frame) {
      frames.push(frame);
      length += frame.length;
      return length < CHUNK_BYTES ? undefined : rest();
    },
    rest,
  };
}
