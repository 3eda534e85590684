import { requireStorable } from '../../api/body/parse-body.js';
import { toRevision, uintError } from '../../api/options/query.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { badRequest, conflict, invalid } from '../../api/status/failures.js';
import { chain, settle } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { eventSize, type EncodedEvent, type EventRecord } from '../../store/contract/record.js';
import { expiryOf, resourceOf, yieldIfLarge, storedObject } from '../request/call.js';
import type { VerbCall, Result } from '../request/call.js';
import { isOutdated, MODIFIED } from '../request/store-failures.js';
import { replaceStored } from '../request/stored-event.js';
import { updateErrors } from '../rules/event-rules.js';
import { encodeText } from '../stored-form/encode-event.js';
import { rewriteEvent, type ReadEvent } from '../stored-form/read-event.js';
import { requireEventRate, requireFits } from './admission.js';
import { attemptChange } from './repeat-attempt.js';

/** Computes the new state from the stored one. @throws StatusFailure if the change is refused */
type ChangeFunction = (previous: Event, record: EventRecord) => ChangedEvent | Promise<ChangedEvent>;

export interface ChangedEvent {
  readonly next: Event;
  readonly managedFields?: string | undefined;
}

/** The outcome of one attempt; undefined if the event was changed meanwhile. */
type Attempt = Result | undefined;

/**
 * The loop of update, patch and apply: read, change, check, compare-and-swap, again after a concurrent write unless the
 * caller sent a resourceVersion. `missing` handles an absent event; undefined: there is one by now.
 */
export function changeStoredEvent(
  call: VerbCall,
  options: WriteOptions,
  change: ChangeFunction,
  missing: () => Attempt | Promise<Attempt>,
): Result | Promise<Result> {
  const proceed = (record: EventRecord | undefined): Attempt | Promise<Attempt> => {
    if (!record) return missing();
    const stored = call.dependencies.readEvent(record.event);
    return chain(yieldIfLarge(eventSize(record.event)), () =>
      chain(change(stored.event, record), (changed) => storeChange(call, options, record, stored, changed)),
    );
  };
  return attemptChange(call, proceed);
}

/** Stores the new state if it is allowed, unless this is a dry run. */
function storeChange(
  call: VerbCall,
  options: WriteOptions,
  record: EventRecord,
  stored: ReadEvent,
  { next, managedFields }: ChangedEvent,
): Attempt | Promise<Attempt> {
  const { dependencies, version } = call;
  const { event: previous } = stored;
  carryOver(next, previous);
  requireRevision(call, next, record);
  const errors = updateErrors(next, previous, version);
  if (errors.length > 0) throw invalid(version.view.kind, next.metadata.name ?? '', errors);
  requireEventRate(call, next, options);
  const rewritten = rewriteEvent(next, managedFields, stored);
  if (rewritten.text === stored.text) return storedObject(call, 200, record);
  requireStorable(next, rewritten.text.length, dependencies.bodyLimits.storedMembers);
  const labels = next.metadata.labels === previous.metadata.labels ? record.event.labels : undefined;
  const event = encodeText(next, rewritten, dependencies.textBytes, labels);
  if (options.dryRun) {
    requireFits(dependencies.store, event);
    return storedObject(call, 200, { ...record, event });
  }
  call.life.throwIfAborted();
  return storeChanged(call, record, next, event);
}

/** Restores the stored values of metadata fields that updates cannot change. */
function carryOver(next: Event, previous: Event): void {
  const { metadata } = next;
  const stored = previous.metadata;
  metadata.uid ??= stored.uid ?? '';
  keep(metadata, stored, 'creationTimestamp');
  keep(metadata, stored, 'generation');
  if (stored.deletionTimestamp) {
    keep(metadata, stored, 'deletionTimestamp');
    if (metadata.deletionGracePeriodSeconds === undefined) keep(metadata, stored, 'deletionGracePeriodSeconds');
  }
}

function keep<K extends keyof Event['metadata']>(to: Event['metadata'], from: Event['metadata'], field: K): void {
  if (from[field] !== undefined) to[field] = from[field];
  else delete to[field];
}

function requireRevision(call: VerbCall, next: Event, record: EventRecord): void {
  const sent = next.metadata.resourceVersion ?? '';
  if (sent === '') return;
  const wrong = uintError(sent);
  if (wrong) throw badRequest(wrong);
  const expected = toRevision(sent);
  if (expected !== 0 && expected !== record.revision) throw conflict(resourceOf(call), call.scope.name, MODIFIED);
}

/** Stores the new state, or removes the event with its last finalizer; `undefined` if `record` is not current. */
function storeChanged(
  call: VerbCall,
  record: EventRecord,
  { metadata }: Event,
  event: EncodedEvent,
): Attempt | Promise<Attempt> {
  const { dependencies } = call;
  const { store } = dependencies;
  const { key, revision: expected } = record;
  const isDone = metadata.deletionTimestamp && !metadata.finalizers?.length;
  const write = (): EventRecord | Promise<EventRecord> => {
    if (isDone) return chain(store.remove(key, { expected }), () => ({ ...record, event }));
    const options = { expected, expiresAt: expiryOf(dependencies) };
    return replaceStored(dependencies, key, event, options);
  };
  const outdated = (_: VerbCall, error: unknown): undefined => {
    if (!isOutdated(error)) throw error;
  };
  return settle<VerbCall, EventRecord, Attempt>(
    call,
    write,
    (_, current) => storedObject(call, 200, current),
    outdated,
  );
}
