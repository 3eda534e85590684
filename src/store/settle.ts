import type { EventKey, EventStore, RemoveOptions } from './contract.js';
import { isStoreError, type StoreErrorCode } from './errors.js';
import type { EncodedEvent, EventRecord } from './record.js';

const ATTEMPTS = 3;

function hasCode(error: unknown, ...codes: readonly StoreErrorCode[]): boolean {
  return isStoreError(error) && codes.includes(error.code);
}

function sameEvent(one: EncodedEvent, other: EncodedEvent): boolean {
  return (
    one.uid === other.uid &&
    one.bytes.length === other.bytes.length &&
    one.bytes.every((byte, index) => byte === other.bytes[index])
  );
}

/** Tells, from an error that a repeated write met, what became of the first one; `undefined`: it cannot be told. */
type Judge = (error: unknown) => Promise<EventRecord | undefined>;

/**
 * Repeats a write whose outcome is unknown. It is conditional, so it cannot happen twice: either the repetition succeeds,
 * or the condition does not hold any more and `judge` finds out why.
 */
async function settled(
  write: () => Promise<EventRecord>,
  signal: AbortSignal | undefined,
  judge: Judge,
): Promise<EventRecord> {
  let unknown: unknown;
  try {
    return await write();
  } catch (error) {
    if (!hasCode(error, 'unknown-outcome')) throw error;
    unknown = error;
  }
  for (let attempt = 0; attempt < ATTEMPTS && !signal?.aborted; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (hasCode(error, 'unknown-outcome', 'unavailable')) continue;
      const record = await judge(error).catch(() => undefined);
      if (record !== undefined) return record;
      break;
    }
  }
  throw unknown;
}

/**
 * The same store, with unknown outcomes settled where that is possible: the conditional write is repeated, and when its
 * condition does not hold any more, uid and bytes (a deletion: the feed) tell whether the first attempt did it.
 * Otherwise the error stays `unknown-outcome`. For engines behind a network; others never fail that way.
 */
export function settleUnknownOutcomes(store: EventStore): EventStore {
  const written =
    (key: EventKey, event: EncodedEvent, code: StoreErrorCode, signal: AbortSignal | undefined): Judge =>
    async (error) => {
      if (!hasCode(error, code)) return undefined;
      const record = await store.get(key, { signal });
      return record !== undefined && sameEvent(record.event, event) ? record : undefined;
    };

  /** The deletion that ended the state at `expected`, if that is how it ended. The feed still has it, or nobody does. */
  const removed =
    (key: EventKey, { expected, signal }: RemoveOptions): Judge =>
    async (error) => {
      if (expected === undefined || !hasCode(error, 'not-found', 'conflict')) return undefined;
      const latest = await store.revision({ signal });
      if (latest <= expected) return undefined;
      for await (const changes of store.changes({ after: expected, signal })) {
        const next = changes.find((change) => change.key.name === key.name && change.key.namespace === key.namespace);
        if (next !== undefined) return next.type === 'delete' ? next.record : undefined;
        if ((changes.at(-1)?.revision ?? latest) >= latest) return undefined;
      }
      return undefined;
    };

  return Object.freeze<EventStore>({
    name: store.name,
    capabilities: store.capabilities,
    get: (key, call) => store.get(key, call),
    list: (query) => store.list(query),
    create: (key, event, call) =>
      settled(() => store.create(key, event, call), call.signal, written(key, event, 'exists', call.signal)),
    replace: (key, event, call) =>
      settled(() => store.replace(key, event, call), call.signal, written(key, event, 'conflict', call.signal)),
    remove: (key, call = {}) => settled(() => store.remove(key, call), call.signal, removed(key, call)),
    expire: (call) => store.expire(call),
    changes: (call) => store.changes(call),
    revision: (call) => store.revision(call),
    ping: (call) => store.ping(call),
    close: () => store.close(),
  });
}
