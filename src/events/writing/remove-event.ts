import type { DeleteOptions } from '../../api/options/delete-options.js';
import { conflict, notFound } from '../../api/status/failures.js';
import type { ListMeta } from '../../model/object-meta.js';
import type { StatusDetails } from '../../model/status.js';
import type { EventKey } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import { expiryOf, inTurn, resourceOf, type Result, type VerbCall } from '../request/call.js';
import { isOutdated } from '../request/store-failures.js';
import { decodeEvent, encodeEvent } from '../stored-form/encode-event.js';
import { requireFits } from './admission.js';
import { repeatAttempt } from './repeat-attempt.js';

/** The finalizers of the garbage collector, which has nothing to do with events: they delay no deletion. */
const GARBAGE_COLLECTION: readonly string[] = ['orphan', 'foregroundDeletion'];

interface Removal {
  /** False: the event waits for its finalizers. */
  readonly removed: boolean;
  /** The last state if the event was removed, otherwise the current state. */
  readonly record: EventRecord;
}

/** Only marks an event with finalizers. Starts again after a concurrent write. @throws StatusFailure 404, 409 */
export function removeStored(call: VerbCall, key: EventKey, options: DeleteOptions): Promise<Removal> {
  return repeatAttempt(call, async () => {
    const record = await call.dependencies.store.get(key, call.life);
    if (!record) throw notFound(resourceOf(call), key.name);
    requirePreconditions(record, options);
    try {
      return await inTurn(call, () => removeOnce(call, record, (options.dryRun?.length ?? 0) > 0));
    } catch (error) {
      if (!isOutdated(error)) throw error;
      return undefined;
    }
  });
}

async function removeOnce(call: VerbCall, record: EventRecord, dryRun: boolean): Promise<Removal> {
  const { store, time, wholeSeconds } = call.dependencies;
  call.life.throwIfAborted();
  const event = decodeEvent(record.event.bytes);
  const { metadata } = event;
  const { finalizers = [] } = metadata;
  const pending = finalizers.filter((finalizer) => !GARBAGE_COLLECTION.includes(finalizer));
  if (pending.length === 0) {
    if (!dryRun) await store.remove(record.key, { expected: record.revision });
    return { removed: true, record };
  }
  if (metadata.deletionTimestamp) return { removed: false, record };
  metadata.finalizers = pending;
  metadata.deletionTimestamp = wholeSeconds(time.now());
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation) metadata.generation += 1;
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

export function deletedStatus(
  { version: { group } }: VerbCall,
  metadata: ListMeta | Record<string, never>,
  { name, uid }: Pick<StatusDetails, 'name' | 'uid'> = {},
): Result {
  const details = { ...(name && { name }), ...(group && { group }), kind: 'events', ...(uid && { uid }) };
  return { kind: 'status', status: { kind: 'Status', apiVersion: 'v1', metadata, status: 'Success', details } };
}
