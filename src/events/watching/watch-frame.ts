import type { FrameEncoder, FrameType } from '../../api/representation/contract.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { EventRecord } from '../../store/record.js';
import type { HubEntry } from '../../store/watch/hub-entry.js';
import type { VerbCall } from '../verbs/call.js';

/**
 * The frame one watcher gets of a change: nothing when it is none of its business, ADDED and DELETED also for events that
 * begin or cease to match. `'end'` when the representation cannot go on.
 */
export function frameOf(
  call: VerbCall,
  selector: Selector,
  encoder: FrameEncoder,
  entry: HubEntry,
): Uint8Array | 'end' | undefined {
  const { change } = entry;
  const { namespace } = call.scope;
  if (namespace !== '' && change.key.namespace !== namespace) return undefined;
  const { previous } = change;
  const before = previous !== undefined && selector.matches(previous.event);
  const now = change.type === 'put' && selector.matches(change.record.event);
  if (!before && !now) return undefined;
  if (now) return encoded(call, encoder, entry, before ? 'MODIFIED' : 'ADDED', change.record);
  // leaving the selection shows the last state that matched, at the revision of the change
  const last = change.type === 'delete' ? change.record : { ...(previous as EventRecord), revision: change.revision };
  return encoded(call, encoder, entry, 'DELETED', last);
}

function encoded(
  call: VerbCall,
  encoder: FrameEncoder,
  entry: HubEntry,
  type: FrameType,
  record: EventRecord,
): Uint8Array | 'end' {
  const encode = (): Uint8Array => encoder.encode(type, call.version.objectJson(record)) ?? END;
  const key = encoder.cacheKey;
  const frame = key === undefined ? encode() : entry.frame(`${call.version.view.apiVersion} ${key}`, type, encode);
  return frame.length === 0 ? 'end' : frame;
}

const END = new Uint8Array(0);
