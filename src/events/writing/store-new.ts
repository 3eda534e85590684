import { dedupeOwnerReferences } from '../../api/validation/owner-references.js';
import type { WriteOptions } from '../../api/options/write-options.js';
import { toRevision, uintError } from '../../api/options/resource-version.js';
import { alreadyExists, badRequest, generatedNameTaken, invalid } from '../../api/status/failures.js';
import type { Event } from '../../model/event.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { isStoreError } from '../../store/errors.js';
import type { EventKey, EventRecord } from '../../store/record.js';
import { decodeEvent, encodeEvent } from '../stored-form/encode-event.js';
import { setManagedFields, trackFields } from './field-tracking.js';
import { requireEventRate } from './write-limits.js';
import { generateName } from './generate-name.js';
import { requireFits } from './write-limits.js';
import { createErrors } from '../rules/create-rules.js';
import { expiryOf, resourceOf, type EventsEnvironment, type Result, type VerbCall } from '../request/call.js';
import { storedObject } from '../request/result.js';

const NAME_ATTEMPTS = 8;

/**
 * Brings a new event in: what the server decides is set, the rules are checked, it is stored (or not, in a dry run).
 *
 * @throws StatusError 400, 409, 422, 429
 */
export function admitNew(call: VerbCall, event: Event, options: WriteOptions): Result | Promise<Result> {
  return admit(call, event, options, undefined, (existing): never => {
    throw nameTaken(call, event, existing);
  });
}

/**
 * The same for an update or apply that found nothing. Undefined when there is one by now: then it is to be read again, as
 * kube-apiserver does.
 *
 * @param entries who manages what, where that is known already
 * @throws StatusError 400, 422
 */
export function admitMissing(
  call: VerbCall,
  event: Event,
  options: WriteOptions,
  entries?: readonly ManagedFieldsEntry[],
): Result | undefined | Promise<Result | undefined> {
  return admit(call, event, options, entries, () => undefined);
}

function admit<T>(
  call: VerbCall,
  event: Event,
  options: WriteOptions,
  entries: readonly ManagedFieldsEntry[] | undefined,
  taken: Admission<T>['taken'],
): Result | T | Promise<Result | T> {
  const { environment } = call;
  const generated = event.metadata.name === undefined && Boolean(event.metadata.generateName);
  dedupeOwners(call, event, 'request');
  stamp(event, environment);
  let managedFields: string | undefined;
  if (entries) setManagedFields(event, entries);
  else managedFields = trackFields(call, options, event);
  return attempt({ call, event, options, generated, managedFields, taken }, 1);
}

interface Admission<T> {
  readonly call: VerbCall;
  readonly event: Event;
  readonly options: WriteOptions;
  /** The name is the server's. */
  readonly generated: boolean;
  /** As JSON, where that is known. */
  readonly managedFields: string | undefined;
  /** What to do when there is one of this name already. */
  readonly taken: (existing: EventRecord | undefined) => T;
}

/** At once where the store answers at once: three promises less between the body and the answer. */
function attempt<T>(admission: Admission<T>, round: number): Result | T | Promise<Result | T> {
  const { call, event, options, generated, managedFields } = admission;
  const { environment, version } = call;
  if (generated) {
    event.metadata.name = generateName(event.metadata.generateName ?? '');
    event.metadata.uid = environment.uids();
  }
  const errors = createErrors(event, version, environment.types);
  if (errors.length > 0) throw invalid(version.view.kind, event.metadata.name ?? '', errors);
  if (round === 1) requireEventRate(call, event, options);
  const key = { namespace: event.metadata.namespace ?? '', name: event.metadata.name ?? '' };
  if (options.dryRun) return dry(admission, round, key);
  refuseResourceVersion(event);
  const failed = (error: unknown): Promise<Result | T> => refused(admission, round, key, error);
  call.life.throwIfAborted();
  const { create } = environment.store;
  const expiry = { expiresAt: expiryOf(environment) };
  const encoded = encodeEvent(event, managedFields, environment.textBytes);
  try {
    if (create.sync) return created(call, create.sync(key, encoded, expiry));
    return create(key, encoded, expiry).then((record) => created(call, record), failed);
  } catch (error) {
    return failed(error);
  }
}

const created = (call: VerbCall, record: EventRecord): Result | Promise<Result> => storedObject(call, 201, record);

async function dry<T>(admission: Admission<T>, round: number, key: EventKey): Promise<Result | T> {
  const { call, event, managedFields } = admission;
  const { store, textBytes } = call.environment;
  requireFits(store, encodeEvent(event, managedFields, textBytes));
  const existing = await store.get(key, call.life);
  if (existing) return again(admission, round, existing);
  return { kind: 'object', status: 201, json: call.version.unstoredJson(event) };
}

/** The store has not taken it: is its name taken? */
async function refused<T>(admission: Admission<T>, round: number, key: EventKey, error: unknown): Promise<Result | T> {
  if (!isStoreError(error) || error.code !== 'exists') throw error;
  const { call } = admission;
  return again(admission, round, await call.environment.store.get(key, call.life));
}

/** With another name, if the name is the server's. */
function again<T>(
  admission: Admission<T>,
  round: number,
  existing: EventRecord | undefined,
): Result | T | Promise<Result | T> {
  const { call, event, generated, taken } = admission;
  if (!generated) return taken(existing);
  if (round === NAME_ATTEMPTS) throw generatedNameTaken(resourceOf(call), event.metadata.name ?? '');
  return attempt(admission, round + 1);
}

/** Identity and time are the server's; a client's values for them do not count. */
function stamp({ metadata }: Event, { uids, wholeSeconds, time }: EventsEnvironment): void {
  metadata.uid = uids();
  metadata.creationTimestamp = wholeSeconds(time.now());
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
