import type { DeleteOptions } from '../../api/options/delete-options.js';
import { readListOptions } from '../../api/options/list-options.js';
import { conflict, notFound } from '../../api/status/failures.js';
import { isStatusFailure } from '../../api/status/status-failure.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { StatusDetails } from '../../model/status.js';
import type { EventKey } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import { readSelection } from '../listing/list-query.js';
import { RECORDS, readList } from '../listing/read-list.js';
import { Pace } from '../listing/read-pages.js';
import { expiryOf, keyOf, resourceOf, type VerbCall, storedObject, type Result } from '../request/call.js';
import { isOutdated } from '../request/store-failures.js';
import { decodeEvent, encodeEvent } from '../stored-form/encode-event.js';
import { readDeleteOptions } from './request-body.js';
import { requireFits } from './store-new-event.js';

/** Deletes one event. The result is a Status, or the event if it waits for its finalizers. */
export async function deleteEvent(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const { removed, record } = await removeStored(call, keyOf(call), options);
  if (!removed) return storedObject(call, options.orphanDependents === false ? 202 : 200, record);
  return deletedStatus(call, {}, { name: call.scope.name, uid: record.event.uid });
}

/**
 * Deletes the events that a list would return, one by one and not atomically: events deleted by others in between are
 * skipped, any other failure stops it, with some events already deleted. The result is a Status (design decision 2).
 */
export async function deleteEvents(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const listOptions = readListOptions(call.query);
  const pace = new Pace(call.dependencies.clock, call.life);
  const list = await readList(call, listOptions, readSelection(call, listOptions), RECORDS);
  for await (const records of list.batches) {
    for (const record of records) {
      if (pace.shouldYield()) await pace.yieldToLoop();
      try {
        await removeStored(call, record.key, options);
      } catch (error) {
        if (!isStatusFailure(error) || error.status.reason !== 'NotFound') throw error;
      }
    }
  }
  const { continue: token, remainingItemCount } = list.meta;
  return deletedStatus(call, {
    ...(token && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  });
}

interface Removal {
  /** False: the event waits for its finalizers. */
  readonly removed: boolean;
  /** The last state if the event was removed, otherwise the current state. */
  readonly record: EventRecord;
}

/**
 * Deletes one event if the preconditions hold; one with finalizers is only marked. After a concurrent write it starts
 * again with the new state.
 *
 * @throws StatusFailure 404, 409
 */
async function removeStored(call: VerbCall, key: EventKey, options: DeleteOptions): Promise<Removal> {
  for (;;) {
    const record = await call.dependencies.store.get(key, call.life);
    if (!record) throw notFound(resourceOf(call), key.name);
    requirePreconditions(record, options);
    try {
      return await removeOnce(call, record, (options.dryRun?.length ?? 0) > 0);
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
  }
}

async function removeOnce(call: VerbCall, record: EventRecord, dryRun: boolean): Promise<Removal> {
  const { store, time, wholeSeconds } = call.dependencies;
  call.life.throwIfAborted();
  const event = decodeEvent(record.event.bytes);
  const { metadata } = event;
  if (!metadata.finalizers?.length) {
    if (!dryRun) await store.remove(record.key, { expected: record.revision });
    return { removed: true, record };
  }
  if (metadata.deletionTimestamp) return { removed: false, record };
  metadata.deletionTimestamp = wholeSeconds(time.now());
  metadata.deletionGracePeriodSeconds = 0;
  const marked = encodeEvent(event);
  if (dryRun) {
    requireFits(store, marked);
    return { removed: false, record: { ...record, event: marked } };
  }
  const options = { expected: record.revision, expiresAt: expiryOf(call.dependencies) };
  return { removed: false, record: await store.replace(record.key, marked, options) };
}

/** Checks the preconditions. The messages name the kind instead of the resource, as in kube-apiserver. */
function requirePreconditions(record: EventRecord, { preconditions }: DeleteOptions): void {
  const refuse = (what: string, sent: string, stored: string, then: string): never => {
    const why = `the ${what} in the precondition (${sent}) does not match the ${what} in record (${stored}). The object might have been ${then}`;
    throw conflict({ group: '', resource: 'Event' }, record.key.name, why);
  };
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== record.event.uid) {
    refuse('UID', uid, record.event.uid, 'deleted and then recreated');
  }
  const revision = String(record.revision);
  if (resourceVersion !== undefined && resourceVersion !== revision) {
    refuse('ResourceVersion', resourceVersion, revision, 'modified');
  }
}

/** The Status of a completed deletion. */
function deletedStatus(
  { version: { group } }: VerbCall,
  metadata: ListMeta | Record<string, never>,
  { name, uid }: Pick<StatusDetails, 'name' | 'uid'> = {},
): Result {
  const details = { ...(name && { name }), ...(group && { group }), kind: 'events', ...(uid && { uid }) };
  return { kind: 'status', status: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Success', details } };
}
