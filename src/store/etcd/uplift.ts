import type { Revision } from '../contract/record.js';
import type { Compare, KeyValue, RangeResponse, TxnResponse, WatchEvent, WatchResponse } from './connection.js';

/** How far the store's revisions are above etcd's: 0 until the counter of etcd goes back, see `createLiftedClient`. */
export interface Uplift {
  readonly offset: number;
  /** The revision of its key in etcd, by etcd's own count; 0: there is none. */
  readonly mod: number;
}

export const NO_UPLIFT: Uplift = Object.freeze({ offset: 0, mod: 0 });

/** The first readable revision: those from before the uplift are below the offset. */
export function floorOf({ offset }: Uplift): Revision {
  return offset === 0 ? 0 : offset + 1;
}

/** The uplift stored in its key. An unreadable value counts as none. */
export function upliftOf(kv: KeyValue | undefined): Uplift {
  if (kv === undefined) return NO_UPLIFT;
  const offset = Number(new TextDecoder().decode(kv.value));
  return { offset: Number.isSafeInteger(offset) && offset >= 0 ? offset : 0, mod: kv.modRevision };
}

export function upliftValue(offset: number): Uint8Array {
  return new TextEncoder().encode(String(offset));
}

/** Never a revision of etcd: a condition that names one from before the uplift does not hold. */
const NEVER: number = Number.MAX_SAFE_INTEGER;

/** A revision of the store in etcd's count; 0 means none in both. */
function down(revision: Revision, { offset }: Uplift): number {
  if (revision === 0) return 0;
  return revision > offset ? revision - offset : NEVER;
}

function up(revision: number, { offset }: Uplift): Revision {
  return revision === 0 ? 0 : revision + offset;
}

/** Conditions in etcd's count. */
export function compareDown(compare: readonly Compare[], uplift: Uplift): readonly Compare[] {
  if (uplift.offset === 0) return compare;
  return compare.map(({ key, revision }) => ({ key, revision: down(revision, uplift) }));
}

function keyUp(kv: KeyValue, uplift: Uplift): KeyValue {
  return { ...kv, createRevision: up(kv.createRevision, uplift), modRevision: up(kv.modRevision, uplift) };
}

/** An answer in the store's count. */
export function rangeUp(response: RangeResponse, uplift: Uplift): RangeResponse {
  if (uplift.offset === 0) return response;
  return { ...response, revision: up(response.revision, uplift), kvs: response.kvs.map((kv) => keyUp(kv, uplift)) };
}

export function txnUp(response: TxnResponse, uplift: Uplift): TxnResponse {
  if (uplift.offset === 0) return response;
  const steps = response.steps.map((kvs) => kvs.map((kv) => keyUp(kv, uplift)));
  return { ...response, revision: up(response.revision, uplift), steps };
}

export function watchUp(response: WatchResponse, uplift: Uplift): WatchResponse {
  if (uplift.offset === 0) return response;
  return {
    ...response,
    revision: up(response.revision, uplift),
    compactRevision: up(response.compactRevision, uplift),
    events: response.events.map((event): WatchEvent => ({
      ...event,
      kv: keyUp(event.kv, uplift),
      ...(event.previous !== undefined && { previous: keyUp(event.previous, uplift) }),
    })),
  };
}
