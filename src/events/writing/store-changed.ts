import { settle } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import type { EncodedEvent, EventRecord } from '../../store/contract/record.js';
import { expiryOf, storedObject, type Result, type VerbCall } from '../request/call.js';
import { isOutdated } from '../request/store-failures.js';

/** A new state on its way to the store. */
interface ChangedRecord {
  readonly call: VerbCall;
  /** The state before. */
  readonly record: EventRecord;
  readonly event: EncodedEvent;
}

/**
 * Stores the new state of an event, on the condition that it is still at the revision of `record`: synchronously where the
 * store can. An event that is being deleted goes with its last finalizer.
 *
 * @returns undefined where the event was changed meanwhile
 */
export function storeChanged(
  call: VerbCall,
  record: EventRecord,
  { metadata }: Event,
  event: EncodedEvent,
): Result | undefined | Promise<Result | undefined> {
  const goes = metadata.deletionTimestamp && !metadata.finalizers?.length;
  return settle({ call, record, event }, goes ? remove : replace, stored, refused);
}

function replace({ call, record, event }: ChangedRecord): EventRecord | Promise<EventRecord> {
  const { dependencies } = call;
  const { key, revision: expected } = record;
  const { replace: put } = dependencies.store;
  const options = { expected, expiresAt: expiryOf(dependencies) };
  return put.sync ? put.sync(key, event, options) : put(key, event, options);
}

async function remove({ call, record, event }: ChangedRecord): Promise<EventRecord> {
  await call.dependencies.store.remove(record.key, { expected: record.revision });
  return { ...record, event };
}

const stored = ({ call }: ChangedRecord, record: EventRecord): Result | Promise<Result> =>
  storedObject(call, 200, record);

function refused(_: ChangedRecord, error: unknown): undefined {
  if (!isOutdated(error)) throw error;
}
