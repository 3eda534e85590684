import { managerOf } from '../../api/managed-fields/managers.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { header } from '../../http/headers.js';
import type { Event } from '../../model/event.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import type { VerbCall } from '../request/call.js';

export function managerOfCall(call: VerbCall, options: WriteOptions): string {
  return managerOf(options.fieldManager, header(call.request, 'user-agent'));
}

export function trackingTime({ dependencies }: VerbCall): string {
  return dependencies.wholeSeconds(dependencies.time.now());
}

/** Sets these managed fields entries, which must not be changed afterwards; without entries the list is removed. */
export function setManagedFields(event: Event, entries: readonly ManagedFieldsEntry[] | undefined): void {
  if (entries && entries.length > 0) event.metadata.managedFields = entries as ManagedFieldsEntry[];
  else if (event.metadata.managedFields) delete event.metadata.managedFields;
}

/** Records who changed which fields; returns them as JSON, if known. Without tracking, stored entries remain. */
export function trackFields(call: VerbCall, options: WriteOptions, next: Event, previous?: Event): string | undefined {
  const stored = previous?.metadata.managedFields;
  if (!call.dependencies.managedFields) {
    setManagedFields(next, stored);
    return undefined;
  }
  const { version } = call;
  const { entries, json } = call.dependencies.fieldTracker.track({
    version: version.view,
    live: previous && version.toWire(previous),
    next: version.toWire(next),
    stored,
    sent: next.metadata.managedFields,
    manager: managerOfCall(call, options),
    time: trackingTime(call),
  });
  setManagedFields(next, entries);
  return entries.length > 0 ? json : undefined;
}
