import { keyOf, type VerbCall, storedObject, type Result } from '../request/call.js';
import { deletedStatus, removeStored } from './remove-stored.js';
import { readDeleteOptions } from './request-body.js';

/** Deletes one event. A completed deletion answers a Status, one that waits for finalizers the event. */
export async function deleteEvent(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const { removed, record } = await removeStored(call, keyOf(call), options);
  if (!removed) return storedObject(call, options.orphanDependents === false ? 202 : 200, record);
  return deletedStatus(call, {}, { name: call.scope.name, uid: record.event.uid });
}
