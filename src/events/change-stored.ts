import { toRevision, uintError } from '../api/options/resource-version.js';
import type { WriteOptions } from '../api/options/write-options.js';
import { badRequest, conflict, invalid } from '../api/status/failures.js';
import type { Event } from '../model/event.js';
import { isStoreError } from '../store/errors.js';
import type { EncodedEvent, EventRecord } from '../store/record.js';
import { encodeText, readEvent, writeEvent } from './encode-event.js';
import { updateErrors } from './rules/update-rules.js';
import { MODIFIED } from './store-failures.js';
import { expiryOf, keyOf, resourceOf, type Result, type VerbCall } from './verbs/call.js';

/** What a verb makes of the stored state; it throws a StatusError where it refuses. */
export type Change = (previous: Event, record: EventRecord) => ChangedEvent;

/** The new state, and its managed fields as JSON where that is known. */
export interface ChangedEvent {
  readonly next: Event;
  readonly managedFields?: string | undefined;
}

/**
 * The one loop of update and patch: read, change, check, compare-and-swap. Somebody else's write in between starts it
 * again on the new state; only a resourceVersion of the caller's own makes it a conflict.
 *
 * @param missing what to do when there is no such event
 */
export async function changeStored(
  call: VerbCall,
  options: WriteOptions,
  change: Change,
  missing: () => Promise<Result>,
): Promise<Result> {
  const { environment, request, version } = call;
  const { entriesOf } = environment.fieldTracker;
  for (;;) {
    const record = await environment.store.get(keyOf(call), request);
    if (!record) return missing();
    const { event: previous, text } = readEvent(record.event.bytes, entriesOf);
    const { next, managedFields } = change(previous, record);
    carryOver(next, previous);
    requireRevision(call, next, record);
    const errors = updateErrors(next, previous, version);
    if (errors.length > 0) throw invalid(version.view.kind, next.metadata.name ?? '', errors);
    const written = writeEvent(next, managedFields);
    const outcome =
      written.text === text
        ? record
        : await write(call, record, next, encodeText(next, written, environment.textBytes), options.dryRun);
    if (outcome) return { kind: 'object', status: 200, json: version.object(outcome) };
  }
}

/** The state after the write, or undefined when somebody else was faster. */
async function write(
  call: VerbCall,
  record: EventRecord,
  next: Event,
  event: EncodedEvent,
  dryRun: boolean,
): Promise<EventRecord | undefined> {
  const { environment } = call;
  const asSubmitted = { ...record, event };
  if (dryRun) return asSubmitted;
  try {
    if (next.metadata.deletionTimestamp && !next.metadata.finalizers?.length) {
      await environment.store.remove(record.key, { expected: record.revision });
      return asSubmitted;
    }
    const expiresAt = expiryOf(environment);
    return await environment.store.replace(record.key, event, { expected: record.revision, expiresAt });
  } catch (error) {
    if (isStoreError(error) && (error.code === 'conflict' || error.code === 'not-found')) return undefined;
    throw error;
  }
}

/** What an update cannot change keeps its stored value without a word. */
function carryOver(next: Event, previous: Event): void {
  const { metadata } = next;
  const stored = previous.metadata;
  metadata.uid ??= stored.uid ?? '';
  // As `keep`, with constant names, because every write does it.
  if (stored.creationTimestamp !== undefined) metadata.creationTimestamp = stored.creationTimestamp;
  else if (metadata.creationTimestamp !== undefined) delete metadata.creationTimestamp;
  if (stored.generation !== undefined) metadata.generation = stored.generation;
  else if (metadata.generation !== undefined) delete metadata.generation;
  if (stored.deletionTimestamp) {
    keep(metadata, stored, 'deletionTimestamp');
    if (metadata.deletionGracePeriodSeconds === undefined) keep(metadata, stored, 'deletionGracePeriodSeconds');
  }
}

function keep<K extends keyof Event['metadata']>(to: Event['metadata'], from: Event['metadata'], field: K): void {
  if (from[field] !== undefined) to[field] = from[field];
  else if (to[field] !== undefined) delete to[field];
}

function requireRevision(call: VerbCall, next: Event, record: EventRecord): void {
  const sent = next.metadata.resourceVersion ?? '';
  if (sent === '') return;
  const wrong = uintError(sent);
  if (wrong) throw badRequest(wrong);
  const expected = toRevision(sent);
  if (expected !== 0 && expected !== record.revision) throw conflict(resourceOf(call), call.scope.name, MODIFIED);
}
