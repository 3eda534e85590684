import { requireStorable } from '../../api/body/member-limit.js';
import { toRevision, uintError } from '../../api/options/resource-version.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { badRequest, conflict, invalid } from '../../api/status/failures.js';
import { nextTurn } from '../../clock/next-turn.js';
import { chain } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { isStoreError } from '../../store/errors.js';
import type { EncodedEvent, EventRecord } from '../../store/record.js';
import { requireEventRate } from './write-limits.js';
import { encodeText } from '../stored-form/encode-event.js';
import { rewriteEvent, type EventReader } from '../stored-form/read-event.js';
import { requireFits } from './write-limits.js';
import { updateErrors } from '../rules/update-rules.js';
import { MODIFIED } from '../request/store-failures.js';
import { expiryOf, keyOf, resourceOf, type Result, type VerbCall } from '../request/call.js';
import { isVast, storedObject } from '../request/result.js';

/** What a verb makes of the stored state; it throws a StatusError where it refuses. */
export type Change = (previous: Event, record: EventRecord) => ChangedEvent;

/** The new state, and its managed fields as JSON where that is known. */
export interface ChangedEvent {
  readonly next: Event;
  readonly managedFields?: string | undefined;
}

/** What one attempt comes to; undefined when somebody else was faster. */
type Attempt = Result | undefined;

/**
 * The one loop of update and patch: read, change, check, compare-and-swap. Somebody else's write in between starts it
 * again on the new state; only a resourceVersion of the caller's own makes it a conflict. Nothing waits but for the store.
 *
 * @param missing what to do when there is no such event; undefined when there is one by now
 */
export function changeStored(
  call: VerbCall,
  options: WriteOptions,
  change: Change,
  missing: () => Promise<Attempt>,
): Result | Promise<Result> {
  const { environment, life } = call;
  const { get } = environment.store;
  let counted = false;
  const admit = (next: Event): void => {
    if (!counted) requireEventRate(call, next, options);
    counted = true;
  };
  const attempt = (): Attempt | Promise<Attempt> => {
    const found = get.sync ? get.sync(keyOf(call), life) : get(keyOf(call), life);
    return chain(found, (record) => (record ? changed(call, options, change, admit, record) : missing()));
  };
  return chain(attempt(), (result) => result ?? again(attempt));
}

async function again(attempt: () => Attempt | Promise<Attempt>): Promise<Result> {
  for (;;) {
    const result = await attempt();
    if (result) return result;
  }
}

function changed(
  call: VerbCall,
  options: WriteOptions,
  change: Change,
  admit: (next: Event) => void,
  record: EventRecord,
): Attempt | Promise<Attempt> {
  const stored = call.environment.readEvent(record.event);
  const go = (): Attempt | Promise<Attempt> => changedFrom(call, options, change, admit, record, stored);
  return isVast(record) ? nextTurn().then(go) : go();
}

function changedFrom(
  call: VerbCall,
  options: WriteOptions,
  change: Change,
  admit: (next: Event) => void,
  record: EventRecord,
  stored: ReturnType<EventReader>,
): Attempt | Promise<Attempt> {
  const { environment, version } = call;
  const { event: previous } = stored;
  const { next, managedFields } = change(previous, record);
  carryOver(next, previous);
  requireRevision(call, next, record);
  const errors = updateErrors(next, previous, version);
  if (errors.length > 0) throw invalid(version.view.kind, next.metadata.name ?? '', errors);
  admit(next);
  const answer = (outcome: EventRecord | undefined): Attempt | Promise<Attempt> =>
    outcome && storedObject(call, 200, outcome);
  const rewritten = rewriteEvent(next, managedFields, stored);
  if (rewritten.text === stored.text) return answer(record);
  requireStorable(next, rewritten.text.length, environment.bodyLimits.storedMembers);
  const labels = next.metadata.labels === previous.metadata.labels ? record.event.labels : undefined;
  const event = encodeText(next, rewritten, environment.textBytes, labels);
  return chain(write(call, record, next, event, options.dryRun), answer);
}

/** The state after the write, or undefined when somebody else was faster. */
function write(
  call: VerbCall,
  record: EventRecord,
  next: Event,
  event: EncodedEvent,
  dryRun: boolean,
): EventRecord | undefined | Promise<EventRecord | undefined> {
  const { environment } = call;
  if (dryRun) {
    requireFits(environment.store, event);
    return { ...record, event };
  }
  call.life.throwIfAborted();
  try {
    const { remove, replace } = environment.store;
    const { key, revision: expected } = record;
    if (next.metadata.deletionTimestamp && !next.metadata.finalizers?.length) {
      return remove(key, { expected }).then(() => ({ ...record, event }), lostRace);
    }
    const options = { expected, expiresAt: expiryOf(environment) };
    return replace(key, event, options).then((written) => written, lostRace);
  } catch (error) {
    return lostRace(error);
  }
}

/** Undefined when the event is not as it was read. @throws the error, when it is another */
function lostRace(error: unknown): undefined {
  if (isStoreError(error) && (error.code === 'conflict' || error.code === 'not-found')) return undefined;
  throw error;
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
  if (sent === '' || sent === String(record.revision)) return;
  const wrong = uintError(sent);
  if (wrong) throw badRequest(wrong);
  const expected = toRevision(sent);
  if (expected !== 0 && expected !== record.revision) throw conflict(resourceOf(call), call.scope.name, MODIFIED);
}
