import { keyOf, storedObject, type Result, type VerbCall } from '../request/call.js';
import { deletedStatus, removeStored } from './remove-event.js';
import { readDeleteOptions } from './request-body.js';

/** Deletes one event. The result is a Status, or the event if it waits for its finalizers. */
export async function deleteEvent(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const { removed, record } = await removeStored(call, keyOf(call), options);
  if (!removed) return storedObject(call, options.orphanDependents === false ? 202 : 200, record);
  return deletedStatus(call, {}, { name: call.scope.name, uid: record.event.uid });
}
