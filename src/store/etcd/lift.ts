import type { Revision } from '../contract/record.js';
import type { Compare, KeyValue, RangeResponse, TxnResponse, WatchEvent, WatchResponse } from './connection.js';

/** How far the store's revisions are above etcd's: 0 until the counter of etcd goes back, see `createLiftedClient`. */
export interface Lift {
  readonly offset: number;
  /** The revision of its key in etcd, by etcd's own count; 0: there is none. */
  readonly mod: number;
}

export const NO_LIFT: Lift = Object.freeze({ offset: 0, mod: 0 });

/** The first readable revision: those from before the lift are below the offset. */
export function floorOf({ offset }: Lift): Revision {
  return offset === 0 ? 0 : offset + 1;
}

/** The lift stored in its key. An unreadable value counts as none. */
export function liftOf(kv: KeyValue | undefined): Lift {
  if (kv === undefined) return NO_LIFT;
  const offset = Number(new TextDecoder().decode(kv.value));
  return { offset: Number.isSafeInteger(offset) && offset >= 0 ? offset : 0, mod: kv.modRevision };
}

export function liftValue(offset: number): Uint8Array {
  return new TextEncoder().encode(String(offset));
}

/** Never a revision of etcd: a condition that names one from before the lift does not hold. */
const NEVER: number = Number.MAX_SAFE_INTEGER;

/** A revision of the store in etcd's count; 0 means none in both. */
function unlifted(revision: Revision, { offset }: Lift): number {
  if (revision === 0) return 0;
  return revision > offset ? revision - offset : NEVER;
}

function lifted(revision: number, { offset }: Lift): Revision {
  return revision === 0 ? 0 : revision + offset;
}

export function unliftedConditions(compare: readonly Compare[], lift: Lift): readonly Compare[] {
  return compare.map(({ key, revision }) => ({ key, revision: unlifted(revision, lift) }));
}

function liftKeyValue(kv: KeyValue, lift: Lift): KeyValue {
  return { ...kv, createRevision: lifted(kv.createRevision, lift), modRevision: lifted(kv.modRevision, lift) };
}

export function liftRange(response: RangeResponse, lift: Lift): RangeResponse {
  return {
    ...response,
    revision: lifted(response.revision, lift),
    kvs: response.kvs.map((kv) => liftKeyValue(kv, lift)),
  };
}

export function liftTxn(response: TxnResponse, lift: Lift): TxnResponse {
  const steps = response.steps.map((kvs) => kvs.map((kv) => liftKeyValue(kv, lift)));
  return { ...response, revision: lifted(response.revision, lift), steps };
}

export function liftWatch(response: WatchResponse, lift: Lift): WatchResponse {
  return {
    ...response,
    revision: lifted(response.revision, lift),
    compactRevision: lifted(response.compactRevision, lift),
    events: response.events.map((event): WatchEvent => ({
      ...event,
      kv: liftKeyValue(event.kv, lift),
      ...(event.previous !== undefined && { previous: liftKeyValue(event.previous, lift) }),
    })),
  };
}
