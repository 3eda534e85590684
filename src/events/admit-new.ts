import { dedupeOwnerReferences } from '../api/validation/owner-references.js';
import type { WriteOptions } from '../api/options/write-options.js';
import { toRevision, uintError } from '../api/options/resource-version.js';
import { alreadyExists, badRequest, generatedNameTaken, invalid } from '../api/status/failures.js';
import type { Event } from '../model/event.js';
import type { ManagedFieldsEntry } from '../model/object-meta.js';
import { isStoreError } from '../store/errors.js';
import type { EventRecord } from '../store/record.js';
import { decodeEvent, encodeEvent } from './encode-event.js';
import { setManagedFields, trackFields } from './field-tracking.js';
import { generateName } from './generate-name.js';
import { createErrors } from './rules/create-rules.js';
import { expiryOf, resourceOf, type Result, type VerbCall } from './verbs/call.js';

const NAME_ATTEMPTS = 8;

/**
 * Brings a new event in: what the server decides is set, the rules are checked, it is stored (or not, in a dry run).
 * Used by create, and by an update or apply that finds nothing.
 *
 * @param entries who manages what, where that is known already
 * @throws StatusError 400, 409, 422
 */
export async function admitNew(
  call: VerbCall,
  event: Event,
  options: WriteOptions,
  entries?: readonly ManagedFieldsEntry[],
): Promise<Result> {
  const { environment, version } = call;
  const generated = event.metadata.name === undefined && Boolean(event.metadata.generateName);
  dedupeOwners(call, event, 'request');
  stamp(event, environment.wholeSeconds(environment.clock.now()));
  let managedFields: string | undefined;
  if (entries) setManagedFields(event, entries);
  else managedFields = trackFields(call, options, event);
  for (let attempt = 1; ; attempt++) {
    if (generated) {
      event.metadata.name = generateName(event.metadata.generateName ?? '');
      event.metadata.uid = crypto.randomUUID();
    }
    const errors = createErrors(event, version, environment.types);
    if (errors.length > 0) throw invalid(version.view.kind, event.metadata.name ?? '', errors);
    if (!options.dryRun) refuseResourceVersion(event);
    const key = { namespace: event.metadata.namespace ?? '', name: event.metadata.name ?? '' };
    try {
      if (!options.dryRun) {
        const encoded = encodeEvent(event, managedFields, environment.textBytes);
        const record = await environment.store.create(key, encoded, { expiresAt: expiryOf(environment) });
        return { kind: 'object', status: 201, json: version.object(record) };
      }
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'exists') throw error;
    }
    const existing = await environment.store.get(key, call.request);
    if (!existing && options.dryRun) return { kind: 'object', status: 201, json: version.unstoredJson(event) };
    if (!generated) throw nameTaken(call, event, existing);
    if (attempt === NAME_ATTEMPTS) throw generatedNameTaken(resourceOf(call), event.metadata.name ?? '');
  }
}

/** Identity and time are the server's; a client's values for them do not count. */
function stamp(event: Event, now: string): void {
  const { metadata } = event;
  metadata.uid = crypto.randomUUID();
  metadata.creationTimestamp = now;
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds;
}

/** Owners named twice count once; the client is told. */
export function dedupeOwners(call: VerbCall, event: Event, stage: 'request' | 'patch'): void {
  const owners = event.metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const { references, warning } = dedupeOwnerReferences(owners, stage);
  event.metadata.ownerReferences = references;
  if (warning) call.warnings.push(warning);
}

function refuseResourceVersion(event: Event): void {
  const sent = event.metadata.resourceVersion ?? '';
  if (sent !== '' && !uintError(sent) && toRevision(sent) !== 0) {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
}

function nameTaken(call: VerbCall, event: Event, existing: EventRecord | undefined): Error {
  const leaving = existing !== undefined && decodeEvent(existing.event.bytes).metadata.deletionTimestamp !== undefined;
  return alreadyExists(resourceOf(call), event.metadata.name ?? '', leaving ? 'object is being deleted: ' : '');
}
